import { useEffect, useRef, useState } from "preact/hooks";
import type { Session } from "../../../src/client/index.ts";
import { isEngine, ModelSelect, ModelsHint } from "../../engine/index.ts";
import { nomos, toast, useAction, useCall } from "../../frame/index.ts";
import { Button, Field, Select } from "../../parts/index.ts";

interface SwitchDialogProps {
  readonly session: Session;
  readonly onClose: () => void;
}

/** Another agent takes the conversation over, or the same one another model. */
export function SwitchDialog({ session, onClose }: SwitchDialogProps) {
  const { id, agent, busy } = session;
  const dialog = useRef<HTMLDialogElement>(null);
  const [to, setTo] = useState(agent);
  const [given, setGiven] = useState<string | null>(null);
  const now = useCall("session.offer", { id }).value?.chosen?.model ?? "";
  const agents = useCall("agent.list", {});
  const drivers = useCall("driver.list", {});
  const { run, isRunning } = useAction();
  useEffect(() => dialog.current?.showModal(), []);
  const all = agents.value?.agents ?? [];
  const driver = all.find(({ slug }) => slug === to)?.driver ?? session.adapterSlug;
  const isThere = new Set((drivers.value?.drivers ?? []).filter(({ installed }) => installed).map(({ slug }) => slug));
  const options = all
    .filter(({ slug, driver: own }) => slug === agent || isThere.has(own))
    .map(({ slug }) => [slug, slug === agent ? `${slug} (now)` : slug] as const);
  const isSame = to === agent;
  const model = (given ?? (isSame ? now : "")).trim();
  const isNothing = isSame && (model === "" || model === now);
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const chosen = model === "" ? {} : { model };
    const answer = await run(() =>
      isSame
        ? nomos().call("session.configure", { id, ...chosen })
        : nomos().call("session.switch", { id, agent: to, ...chosen }),
    );
    if (answer === undefined) return;
    toast(isSame ? "The next turn uses it." : `From here on with ${to}.`);
    onClose();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-label="Change agent or model" onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        <h2>Change agent or model</h2>
        <p>The next turn is theirs. The conversation so far goes along.</p>
        {busy && !isSame && <p class="muted">A turn runs. Wait for its end, or interrupt it first.</p>}
        <Field label="Agent">
          {(field) => (
            <Select
              id={field}
              value={to}
              options={options}
              onChange={(slug) => {
                setTo(slug);
                setGiven(null);
              }}
            />
          )}
        </Field>
        <ModelField {...{ driver, model }} mayBeDefault={!isSame || now === ""} onChange={setGiven} />
        <div class="dialog-buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={isRunning || isNothing || (busy && !isSame)}>
            Change
          </Button>
        </div>
      </form>
    </dialog>
  );
}

interface ModelFieldProps {
  readonly driver: string;
  readonly model: string;
  readonly mayBeDefault: boolean;
  readonly onChange: (model: string) => void;
}

function ModelField({ driver, model, mayBeDefault, onChange }: ModelFieldProps) {
  if (isEngine(driver))
    return (
      <Field label="Model" hint={<ModelsHint />}>
        {(field) => <ModelSelect id={field} value={model} {...{ mayBeDefault, onChange }} />}
      </Field>
    );
  return (
    <Field label="Model" hint="As the agent names it. Empty: its own choice.">
      {(field) => <input id={field} value={model} onInput={({ currentTarget }) => onChange(currentTarget.value)} />}
    </Field>
  );
}
