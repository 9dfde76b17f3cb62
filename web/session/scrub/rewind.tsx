import { ClientError, type LogEvent, type OutputOf, type Session } from "../../../src/client/index.ts";
import { memberOf } from "../../../src/kernel/index.ts";
import { confirmed, navigate, nomos, toast, useAction } from "../../frame/index.ts";
import { SafeText } from "../../text/index.ts";

type Rewound = OutputOf<"session.rewind">;

const TURNS_LOOKED_MAX = 10;
const NAMES_SHOWN_MAX = 50;

/** Rewinds and forks a session at an event, after showing what that means. */
export function useRewind(session: Session, onDone: () => void) {
  const { run, isRunning } = useAction();
  const { id } = session;
  const rewound = async (event: LogEvent): Promise<void> => {
    const would = await run(() => whatWouldChange(id, event));
    if (would === undefined) return;
    const title = `Rewind to event ${event.version}?`;
    if (!(await confirmed({ title, body: <Would would={would} />, yes: "Rewind" }))) return;
    const answer = await run(() => rewindTo(id, event.id));
    if (answer === undefined || answer === null) return;
    onDone();
    const undo = answer.undo?.split(" ").at(-1);
    const isUndone = await confirmed({
      title: "Rewound. Nothing is deleted from the log.",
      body: <Did answer={answer} />,
      yes: undo === undefined ? "Good" : "Undo the rewind",
      no: undo === undefined ? "Close" : "Keep it rewound",
    });
    if (!isUndone || undo === undefined) return;
    if ((await run(() => rewindTo(id, undo))) !== undefined) toast("The rewind was undone.");
  };
  const forked = async (event: LogEvent): Promise<void> => {
    const fork = await run(() => nomos().call("session.fork", { id, at: event.id }));
    if (fork === undefined) return;
    onDone();
    toast("Forked. The head of the page leads to its parent and compares both.");
    navigate(`/ui/session/${encodeURIComponent(fork.id)}`);
  };
  return {
    rewind: (event: LogEvent) => void rewound(event),
    fork: (event: LogEvent) => void forked(event),
    isRunning,
  };
}

/** Null: the person left it when the files of others would be lost. */
async function rewindTo(id: string, to: string): Promise<Rewound | null> {
  try {
    return await nomos().call("session.rewind", { id, to });
  } catch (thrown) {
    if (!(thrown instanceof ClientError) || thrown.code !== "files_of_others") throw thrown;
    const { details } = thrown;
    const files = Array.isArray(details["files"]) ? details["files"].map(String) : [];
    const body = (
      <>
        <p>{thrown.message}</p>
        <Names names={files} more={Number(details["more"] ?? 0)} />
      </>
    );
    const isForced = await confirmed({ title: "Overwrite what others changed?", body, yes: "Overwrite", danger: true });
    return isForced ? nomos().call("session.rewind", { id, to, force: true }) : null;
  }
}

interface WouldChange {
  readonly turns: number;
  readonly hasMore: boolean;
  readonly changed: readonly string[];
}

/** The turns after the event, and the files that they changed. */
async function whatWouldChange(id: string, event: LogEvent): Promise<WouldChange> {
  const input = { id, after: event.seq, types: ["turn.ended"], view: "path", limit: TURNS_LOOKED_MAX + 1 } as const;
  const { events } = await nomos().call("session.events", input);
  const turns = events.slice(0, TURNS_LOOKED_MAX).map(({ data }) => String(memberOf(data, "turnId")));
  const changed = new Set<string>();
  for (const turn of turns) {
    const diff = await nomos()
      .call("session.diff", { id, turn })
      // A turn without kept files tells nothing; the rewind itself says what it did.
      .catch(() => null);
    for (const { path } of diff?.files ?? []) changed.add(path);
  }
  return { turns: turns.length, hasMore: events.length > TURNS_LOOKED_MAX, changed: [...changed] };
}

function Would({ would: { turns, hasMore, changed } }: { readonly would: WouldChange }) {
  return (
    <>
      <p>
        {hasMore ? "More than " : ""}
        {turns === 1 ? "1 turn" : `${turns} turns`} will no longer count. Nothing is deleted from the log, and a rewind
        can be undone.
      </p>
      {changed.length === 0 ? (
        <p class="muted">They changed no file.</p>
      ) : (
        <>
          <p>Files that they changed go back to what they were, or are removed; changes of others are kept:</p>
          <Names names={changed} more={0} />
        </>
      )}
    </>
  );
}

function Did({ answer: { restored, removed, kept, more, irrevocable } }: { readonly answer: Rewound }) {
  const lists = [
    ["Restored", restored],
    ["Removed", removed],
    ["Kept, because others changed them", kept],
  ] as const;
  return (
    <>
      {lists.map(([name, names]) =>
        names.length === 0 ? null : (
          <div key={name}>
            <p>{name}:</p>
            <Names names={names} more={0} />
          </div>
        ),
      )}
      {restored.length + removed.length + kept.length === 0 && <p>No file had to change.</p>}
      {more > 0 && <p class="muted">And {more} more.</p>}
      {irrevocable.length > 0 && (
        <p>
          {irrevocable.length === 1 ? "1 effect" : `${irrevocable.length} effects`} outside of the files cannot be taken
          back, such as commands that ran.
        </p>
      )}
    </>
  );
}

function Names({ names, more }: { readonly names: readonly string[]; readonly more: number }) {
  const hidden = names.length - NAMES_SHOWN_MAX + more;
  return (
    <ul class="session-names">
      {names.slice(0, NAMES_SHOWN_MAX).map((name) => (
        <li key={name}>
          <SafeText text={name} oneLine strict />
        </li>
      ))}
      {names.length + more > NAMES_SHOWN_MAX && <li class="muted">and {hidden} more</li>}
    </ul>
  );
}
