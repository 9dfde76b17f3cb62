import { useState } from "preact/hooks";
import { nomos, toast, useAction } from "../../frame/index.ts";
import { Button, Field } from "../../parts/index.ts";

/** Any program that speaks ACP becomes a driver by a short JSON text. */
export function AddDriver({ onAdded }: { readonly onAdded: () => void }) {
  const [manifest, setManifest] = useState("");
  const { run, isRunning } = useAction();
  const add = async (): Promise<void> => {
    const added = await run(() => nomos().call("driver.add", { manifest }));
    if (added === undefined) return;
    toast(`Added the driver ${added.slug}.`);
    setManifest("");
    onAdded();
  };
  return (
    <details class="system-add">
      <summary>Add a driver by its manifest</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Field label="Manifest" hint="JSON, as `nomos driver show SLUG --json` shows it of others.">
          {(id) => (
            <textarea
              id={id}
              required
              rows={6}
              class="mono"
              spellcheck={false}
              value={manifest}
              onInput={({ currentTarget }) => setManifest(currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={isRunning}>
          Add the driver
        </Button>
      </form>
    </details>
  );
}
