import { useState } from "preact/hooks";
import { useKeys } from "../frame/index.ts";
import { useSessions } from "../live/index.ts";
import { Ago, Button, Empty, Icon, StateBadge } from "../parts/index.ts";
import { SafeText } from "../text/index.ts";
import { SessionChanges } from "./session-changes.tsx";

const SHOWN = 30;

/** What each session's last turns changed. Read only for those that are opened. */
export function Changes() {
  const sessions = useSessions().toSorted((one, other) =>
    (other.lastOutputAt ?? other.startedAt).localeCompare(one.lastOutputAt ?? one.startedAt),
  );
  const [shown, setShown] = useState(SHOWN);
  const [cursor, setCursor] = useState(-1);
  const [open, setOpen] = useState<string | null>(null);
  const list = sessions.slice(0, shown);
  const toggle = (id: string | undefined): void => {
    if (id !== undefined) setOpen(open === id ? null : id);
  };
  const move = (step: number): void => {
    const to = Math.max(0, Math.min(list.length - 1, cursor + step));
    setCursor(to);
    document.getElementById(`files-of-${list[to]?.id}`)?.scrollIntoView({ block: "nearest" });
  };
  useKeys({
    j: { does: "Next session", run: () => move(1) },
    k: { does: "Session before", run: () => move(-1) },
    Enter: { does: "Show or fold its changes", run: () => toggle(list[cursor]?.id) },
  });
  if (sessions.length === 0)
    return (
      <Empty title="No session yet" command="nomos run 'write notes.md hello'">
        After each turn you see here which files it really changed, also through the shell.
      </Empty>
    );
  return (
    <>
      <ul class="files-list" aria-label="Sessions">
        {list.map((session, at) => (
          <li
            key={session.id}
            id={`files-of-${session.id}`}
            class={at === cursor ? "files-tree files-current" : "files-tree"}
          >
            <div class="files-tree-head">
              <button
                type="button"
                class="files-fold"
                aria-expanded={open === session.id}
                onClick={() => toggle(session.id)}
              >
                <Icon name={open === session.id ? "down" : "right"} />
                <strong>
                  <SafeText text={session.title ?? session.name} oneLine />
                </strong>
              </button>
              <StateBadge session={session} />
              <span class="muted files-repository">
                {session.agent} in <SafeText text={session.cwd} oneLine />,{" "}
                <Ago at={session.lastOutputAt ?? session.startedAt} /> ago
              </span>
            </div>
            {open === session.id && <SessionChanges id={session.id} />}
          </li>
        ))}
      </ul>
      {sessions.length > shown && <Button onClick={() => setShown(shown + SHOWN)}>Older sessions</Button>}
    </>
  );
}
