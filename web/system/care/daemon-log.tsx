import { useEffect, useState } from "preact/hooks";
import type { OutputOf } from "../../../src/client/index.ts";
import { ErrorCard, nomos, useAction, useCall } from "../../frame/index.ts";
import { Button, Empty } from "../../parts/index.ts";
import { SafeText } from "../../text/index.ts";

type Line = OutputOf<"system.log">["entries"][number];

const PAGE = 200;
const AGAIN_MS = 5_000;

export function DaemonLog() {
  const [onlyProblems, setOnlyProblems] = useState(false);
  const { value, error, again } = useCall("system.log", { limit: PAGE, onlyProblems });
  const [older, setOlder] = useState<{ readonly lines: readonly Line[]; readonly next: string | null } | null>(null);
  const { run, isRunning } = useAction();
  useEffect(() => setOlder(null), [onlyProblems]);
  // Older lines hang on the first page: while they are shown, it stays as it is.
  useEffect(() => {
    if (older !== null) return;
    const timer = setInterval(() => document.visibilityState === "visible" && again(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [older === null, again]);
  const next = older === null ? (value?.next ?? null) : older.next;
  const more = async (): Promise<void> => {
    if (next === null) return;
    const page = await run(() => nomos().call("system.log", { limit: PAGE, onlyProblems, before: next }));
    if (page !== undefined) setOlder({ lines: [...(older?.lines ?? []), ...page.entries], next: page.next });
  };
  const lines = [...(value?.entries ?? []), ...(older?.lines ?? [])];
  return (
    <>
      <div class="page-head">
        <h1>Daemon's log</h1>
        <label class="system-check">
          <input
            type="checkbox"
            checked={onlyProblems}
            onChange={({ currentTarget }) => setOnlyProblems(currentTarget.checked)}
          />
          Only problems
        </label>
      </div>
      {error !== undefined && <ErrorCard error={error} again={again} />}
      {value !== undefined && lines.length === 0 && (
        <Empty title={onlyProblems ? "No problem was logged" : "The log is empty"}>
          What the daemon does by itself, newest first. What sessions do is in the audit.
        </Empty>
      )}
      <ul class="system-log" aria-label="Lines, newest first">
        {lines.map((line, at) => (
          <LogLine key={`${line.at} ${at}`} line={line} />
        ))}
      </ul>
      {next !== null && (
        <Button onClick={() => void more()} disabled={isRunning}>
          Older lines
        </Button>
      )}
    </>
  );
}

function LogLine({ line: { at, message, isProblem, details } }: { readonly line: Line }) {
  const rest = Object.keys(details).length === 0 ? "" : JSON.stringify(details);
  return (
    <li class={isProblem ? "system-log-problem" : ""}>
      <time dateTime={at ?? ""}>{at === null ? "" : new Date(at).toLocaleString()}</time>
      <span>
        {isProblem && <strong>problem: </strong>}
        <SafeText text={message} /> <span class="muted mono">{rest !== "" && <SafeText text={rest} oneLine />}</span>
      </span>
    </li>
  );
}
