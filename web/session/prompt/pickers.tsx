import { useEffect } from "preact/hooks";
import type { InputOf, OutputOf } from "../../../src/client/index.ts";
import { isEngine, ModelSelect } from "../../engine/index.ts";
import { type Called, nomos, useAction, useCall } from "../../frame/index.ts";
import { Select } from "../../parts/index.ts";

type Offer = OutputOf<"session.offer">;

/** What the agent offers; read again when the log tells of a new offer. */
export function useOffer(id: string, driverSeq: number): Called<Offer> {
  const offer = useCall("session.offer", { id });
  useEffect(() => {
    if (driverSeq > 0) offer.again();
  }, [driverSeq]);
  return offer;
}

interface PickersProps {
  readonly id: string;
  readonly driver: string;
  readonly offer: Called<Offer>;
}

/** Mode, model and options, from the next turn on. */
export function Pickers({ id, driver, offer: { value, again } }: PickersProps) {
  const { run } = useAction();
  const { offer, chosen } = value ?? {};
  const set = async (settings: Omit<InputOf<"session.configure">, "id">): Promise<void> => {
    await run(() => nomos().call("session.configure", { id, ...settings }));
    again();
  };
  if (isEngine(driver) && value !== undefined) {
    const model = chosen?.model ?? "";
    return (
      <div class="session-pickers">
        <ModelSelect label="Model" value={model} mayBeDefault={false} onChange={(to) => void set({ model: to })} />
      </div>
    );
  }
  if (offer === null || offer === undefined) return null;
  const mode = chosen?.mode ?? offer.mode;
  // Some agents offer their modes a second time, as an option.
  const options = offer.options.filter(({ category }) => category !== "mode" || offer.modes.length === 0);
  return (
    <div class="session-pickers">
      {offer.modes.length > 0 && (
        <Select
          label="Mode"
          value={mode ?? ""}
          options={[
            ...(mode === null ? [["", "Mode"] as const] : []),
            ...offer.modes.map((one) => [one.id, one.name] as const),
          ]}
          onChange={(to) => void set({ mode: to })}
        />
      )}
      {options.map((option) => {
        const isModel = option.category === "model";
        const current = (isModel ? chosen?.model : undefined) ?? chosen?.options[option.id] ?? option.current;
        const change = (to: string | boolean): void =>
          void set(isModel && typeof to === "string" ? { model: to } : { options: { [option.id]: to } });
        return option.values.length === 0 ? (
          <label key={option.id} class="session-switch">
            <input
              type="checkbox"
              checked={current === true}
              onChange={({ currentTarget }) => change(currentTarget.checked)}
            />
            {option.name}
          </label>
        ) : (
          <Select
            key={option.id}
            label={option.name}
            value={String(current)}
            options={option.values.map((one) => [one, `${option.name}: ${one}`] as const)}
            onChange={change}
          />
        );
      })}
    </div>
  );
}
