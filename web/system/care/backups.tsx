import { useState } from "preact/hooks";
import type { CallProgress, OutputOf } from "../../../src/client/index.ts";
import { ErrorCard, nomos, toast, useAction, useCall } from "../../frame/index.ts";
import { Ago, Badge, Button, bytesText, Copy, Empty, Field, Progress } from "../../parts/index.ts";
import { Card } from "../facts.tsx";
import { OldSessions } from "./old-sessions.tsx";

export function Backups() {
  const { value, error, again } = useCall("system.backups", {}, { on: /^(?:log|home|backup)\./ });
  return (
    <>
      <h1>Backups</h1>
      <p class="muted">Log, blobs, tree, keys and configuration of one moment. The daemon goes on while one is made.</p>
      <MakeBackup onMade={again} />
      {error !== undefined && <ErrorCard error={error} again={again} />}
      {value?.backups.length === 0 && (
        <Empty title="No backup yet" command="nomos backup">
          Backups that this daemon made are listed here, newest first. Keep a copy on another machine.
        </Empty>
      )}
      <ul class="system-list" aria-label="Backups">
        {value?.backups.map((backup) => (
          <Backup key={`${backup.path} ${backup.madeAt}`} backup={backup} />
        ))}
      </ul>
      <OldSessions />
    </>
  );
}

function MakeBackup({ onMade }: { readonly onMade: () => void }) {
  const [to, setTo] = useState("");
  const [progress, setProgress] = useState<CallProgress | null>(null);
  const { run, isRunning } = useAction();
  const make = async (): Promise<void> => {
    const place = to.trim() === "" ? {} : { to: to.trim() };
    const made = await run(() => nomos().call("system.backup", place, { progress: setProgress }));
    setProgress(null);
    if (made === undefined) return;
    toast(`Backed up ${made.size} events, ${bytesText(made.bytes)}.`);
    onMade();
  };
  return (
    <Card name="Make a backup">
      <form
        class="system-form"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <Field label="Where" hint="An absolute path of a new folder.">
          {(id) => (
            <input
              id={id}
              value={to}
              placeholder="in backups/ of the home"
              spellcheck={false}
              onInput={({ currentTarget }) => setTo(currentTarget.value)}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" disabled={isRunning}>
          {isRunning ? "Backing up …" : "Back up now"}
        </Button>
      </form>
      {isRunning && <Progress label="Backing up" {...(progress ?? {})} />}
    </Card>
  );
}

function Backup({ backup }: { readonly backup: OutputOf<"system.backups">["backups"][number] }) {
  const { path, madeAt, size, bytes, blobs, missingBlobs, isThere } = backup;
  return (
    <li>
      <div class="system-list-text">
        <strong>
          {size.toLocaleString("en")} events, {bytesText(bytes)}
        </strong>{" "}
        {!isThere && <Badge kind="warn">moved or deleted</Badge>}{" "}
        {missingBlobs > 0 && <Badge kind="bad">{missingBlobs} blobs missing</Badge>}
        <div class="muted">
          <Ago at={madeAt} /> ago, {blobs} blobs
        </div>
        <Copy text={path} />
      </div>
    </li>
  );
}
