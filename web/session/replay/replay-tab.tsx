import { useState } from "preact/hooks";
import type { OutputOf, Session } from "../../../src/client/index.ts";
import { ModelSelect } from "../../engine/index.ts";
import { nomos, useAction } from "../../frame/index.ts";
import { Button, Field } from "../../parts/index.ts";
import { Report } from "./report.tsx";

type Replay = OutputOf<"session.replay">;

/** Runs the recorded session again, on its recorded results, and shows where it would go another way. */
export function ReplayTab({ session }: { readonly session: Session }) {
  const [model, setModel] = useState("");
  const [until, setUntil] = useState("");
  const [replay, setReplay] = useState<Replay | null>(null);
  const { run, isRunning } = useAction();
  const start = async (): Promise<void> => {
    setReplay(null);
    const given = { id: session.id, ...(model === "" ? {} : { model }), ...(until === "" ? {} : { until }) };
    const answer = await run(() => nomos().call("session.replay", given));
    if (answer !== undefined) setReplay(answer);
  };
  return (
    <div class="session-replay">
      <p class="muted">
        Nothing is touched: tools answer what they answered then, and the rules of today judge what was done. Asking
        another model costs what its answers cost.
      </p>
      <form
        class="session-replay-form"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <Field label="Compare with a model" hint="None: the recorded answers are checked.">
          {(id) => <ModelSelect id={id} value={model} none="no model" onChange={setModel} />}
        </Field>
        <Field label="Only up to" hint="An event’s id or a label.">
          {(id) => (
            <input
              id={id}
              value={until}
              spellcheck={false}
              autocomplete="off"
              onInput={({ currentTarget }) => setUntil(currentTarget.value.trim())}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" icon="play" disabled={isRunning}>
          {isRunning ? "Replaying …" : "Replay"}
        </Button>
      </form>
      {replay !== null && <Report replay={replay} />}
    </div>
  );
}
