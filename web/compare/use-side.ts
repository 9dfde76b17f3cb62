import { useEffect, useState } from "preact/hooks";
import type { InputOf, LogEvent, Session } from "../../src/client/index.ts";
import { memberOf } from "../../src/kernel/index.ts";
import { nomos } from "../frame/index.ts";
import { useSession } from "../live/index.ts";
import { type Entry, foldEvents } from "../talk/index.ts";

export interface Side {
  readonly session: Session;
  readonly entries: readonly Entry[];
  /** Turns that ended since the common point. */
  readonly turns: readonly string[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly more: () => void;
}

const PAGE = 500;

/** What one session said and did after the common point, as its path has it now. */
export function useSide(found: Session, after: number | null): Side {
  const session = useSession(found.id) ?? found;
  const [limit, setLimit] = useState(PAGE);
  const [events, setEvents] = useState<readonly LogEvent[]>([]);
  const [state, setState] = useState({ hasMore: false, isLoading: true, error: null as unknown });
  useEffect(() => {
    const leave = new AbortController();
    readUpTo(found.id, after, limit, leave.signal).then(
      ({ events: read, hasMore }) => {
        if (leave.signal.aborted) return;
        setEvents(read);
        setState({ hasMore, isLoading: false, error: null });
      },
      (error: unknown) => leave.signal.aborted || setState({ hasMore: false, isLoading: false, error }),
    );
    return () => leave.abort();
    // Its last output and its state tell that there is more.
  }, [found.id, after, limit, session.lastOutputAt, session.state, session.head]);
  const turns = events
    .filter(({ type }) => type === "turn.ended@1")
    .map(({ data }) => String(memberOf(data, "turnId")));
  return { session, entries: foldEvents(events), turns, ...state, more: () => setLimit(limit + PAGE) };
}

async function readUpTo(id: string, after: number | null, limit: number, signal: AbortSignal) {
  const events: LogEvent[] = [];
  let cursor = after;
  while (events.length < limit) {
    const input: InputOf<"session.events"> = {
      id,
      view: "path",
      limit: PAGE,
      ...(cursor === null ? {} : { after: cursor }),
    };
    const page = await nomos().call("session.events", input, { signal });
    events.push(...page.events);
    cursor = page.next;
    if (cursor === null) return { events, hasMore: false };
  }
  return { events, hasMore: true };
}
