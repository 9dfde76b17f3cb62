import { useState } from "preact/hooks";
import type { OutputOf } from "../../../src/client/index.ts";
import { confirmed, nomos, toast, useAction } from "../../frame/index.ts";
import { Button, bytesText, Field } from "../../parts/index.ts";
import { Card } from "../facts.tsx";

type Swept = OutputOf<"system.gc">;

/** Moves what old sessions said and did into archives: first told, then done. */
export function OldSessions() {
  const [days, setDays] = useState("30");
  const [told, setTold] = useState<Swept | null>(null);
  const { run, isRunning } = useAction();
  const maxAgeDays = Number(days);
  const look = async (): Promise<void> => {
    const answer = await run(() => nomos().call("system.gc", { maxAgeDays, dryRun: true }));
    if (answer !== undefined) setTold(answer);
  };
  const sweep = async (): Promise<void> => {
    const isSure = await confirmed({
      title: `Archive ${told?.sessions.length} sessions?`,
      body: "What they said and did moves into archive/ of the home. Headers and hashes stay in the log, so every proof still holds.",
      yes: "Archive them",
      danger: true,
    });
    if (!isSure) return;
    const done = await run(() => nomos().call("system.gc", { maxAgeDays }));
    if (done === undefined) return;
    toast(`Archived ${done.sessions.length} sessions, ${bytesText(done.bytes + done.blobBytes)}.`);
    setTold(null);
  };
  return (
    <Card name="Archive old sessions" about="Of sessions that ended long ago the log keeps only headers and hashes.">
      <form
        class="system-form"
        onSubmit={(event) => {
          event.preventDefault();
          void look();
        }}
      >
        <Field label="Ended more than this many days ago">
          {(id) => (
            <input
              id={id}
              type="number"
              min="0"
              required
              value={days}
              onInput={({ currentTarget }) => {
                setDays(currentTarget.value);
                setTold(null);
              }}
            />
          )}
        </Field>
        <Button type="submit" disabled={isRunning}>
          See what would go
        </Button>
      </form>
      {told !== null && (
        <div role="status">
          <p>
            {told.sessions.length === 0
              ? "No session ended so long ago."
              : `${told.sessions.length} sessions with ${told.events} events, ${bytesText(told.bytes + told.blobBytes)}.`}
          </p>
          {told.sessions.length > 0 && (
            <Button kind="danger" disabled={isRunning} onClick={() => void sweep()}>
              Archive them
            </Button>
          )}
        </div>
      )}
    </Card>
  );
}
