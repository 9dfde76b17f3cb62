import { useState } from "preact/hooks";
import type { OutputOf } from "../../src/client/index.ts";
import { nomos, useAction } from "../frame/index.ts";
import { Button, Copy, Field } from "../parts/index.ts";

export function ExportCard() {
  const [to, setTo] = useState("");
  const [made, setMade] = useState<OutputOf<"audit.export"> | null>(null);
  const { run, isRunning } = useAction();
  const write = async (): Promise<void> => {
    const answer = await run(() => nomos().call("audit.export", to.trim() === "" ? {} : { to: to.trim() }));
    if (answer !== undefined) setMade(answer);
  };
  return (
    <section class="audit-card" aria-labelledby="audit-export">
      <h2 id="audit-export">Export the log</h2>
      <p class="muted">
        All events, blobs, the checkpoint and the key. A separate program without any code of Nomos verifies it on
        another machine.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void write();
        }}
      >
        <Field label="Where" hint="An absolute path on the daemon's machine; one that ends in .tar makes one file.">
          {(id) => (
            <input
              id={id}
              value={to}
              placeholder="in exports/ of the home"
              spellcheck={false}
              onInput={({ currentTarget }) => setTo(currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={isRunning}>
          {isRunning ? "Writing …" : "Export"}
        </Button>
      </form>
      {made !== null && (
        <div role="status" class="audit-found">
          <p>
            {made.size.toLocaleString("en")} events are in <code>{made.path}</code>. Check them there or elsewhere:
          </p>
          <Copy text={`npx nomos-verify ${quoted(made.path)}`} />
        </div>
      )}
    </section>
  );
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
