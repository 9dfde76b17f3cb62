import { useState } from "preact/hooks";
import { nomos, toast, useAction } from "../../frame/index.ts";
import { Button, Field, Select } from "../../parts/index.ts";

const RULES = [
  ["", "as the rules say"],
  ["auto", "runs without asking"],
  ["always_ask", "always asks"],
  ["never", "never runs"],
] as const;

/** A new agent: a name over a driver, and one rule for its commands. */
export function AddAgent({ drivers, onAdded }: { readonly drivers: readonly string[]; readonly onAdded: () => void }) {
  const [slug, setSlug] = useState("");
  const [driver, setDriver] = useState("");
  const [rule, setRule] = useState<string>("");
  const { run, isRunning } = useAction();
  const chosen = driver === "" ? (drivers[0] ?? "") : driver;
  const add = async (): Promise<void> => {
    const known = RULES.find(([name]) => name === rule)?.[0] ?? "";
    const tools = known === "" ? {} : { tools: { execute: known } };
    const added = await run(() => nomos().call("agent.create", { slug: slug.trim(), driver: chosen, ...tools }));
    if (added === undefined) return;
    toast(`Added the agent ${added.slug}.`);
    setSlug("");
    onAdded();
  };
  return (
    <details class="system-add">
      <summary>Add an agent</summary>
      <form
        class="system-form"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Field label="Name of the agent">
          {(id) => (
            <input
              id={id}
              required
              value={slug}
              placeholder="reviewer"
              onInput={({ currentTarget }) => setSlug(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Driver">
          {(id) => (
            <Select id={id} value={chosen} options={drivers.map((one) => [one, one] as const)} onChange={setDriver} />
          )}
        </Field>
        <Field label="Its commands">{(id) => <Select id={id} value={rule} options={RULES} onChange={setRule} />}</Field>
        <Button kind="primary" type="submit" disabled={isRunning}>
          Add the agent
        </Button>
      </form>
    </details>
  );
}
