import type { Advanced, Cursor, Follower, RecordedEvent, Store } from "../../store/index.ts";

/** A follower whose cursor the store keeps. What it makes is kept by whoever defines it. */
export interface DefinedFollower {
  /** Names its cursor and its metrics: lower case, digits and dashes. */
  readonly name: string;
  /** Only events of these types, with or without version; all when left out. */
  readonly types?: readonly string[];
  /** `now`: begins at the end of the log instead of its first event, for what must not happen for the past. */
  readonly from?: "start" | "now";
  readonly pauseMs?: number;
  /**
   * Gets each event at least once, in order, none left out: after a crash the last page comes again. An event that was
   * erased has no data; whoever keeps a copy of data also has to take `data.erased`.
   */
  readonly take: (events: readonly RecordedEvent[]) => Promise<void>;
  /** Throws away what it has made. Called before it begins, for the first time or again. */
  readonly clear: () => Promise<void>;
}

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const PAUSE_MS = 50;
const PAGE_EVENTS = 500;
const NOWHERE: Cursor = { seq: 0, id: "" };

export function defineFollower(definition: DefinedFollower): DefinedFollower {
  if (!NAME.test(definition.name)) throw new Error(`no name for a follower: ${definition.name}`);
  return definition;
}

type CursorStore = Pick<Store, "cursor" | "setCursor" | "dropCursor" | "readAll" | "lastSeq">;

/** Runs a definition on the log, its cursor in the store. The cursor is written after the page was taken, never before. */
export function storedFollower(definition: DefinedFollower, store: CursorStore, fence: number): Follower {
  const { name, types, from = "start", take, clear } = definition;
  /** Null until the stored cursor was found to be of this log. */
  let position: number | null = null;
  let stored = 0;

  const idAt = async (seq: number): Promise<string | null> => {
    if (seq === 0) return NOWHERE.id;
    const { events } = await store.readAll({ after: seq - 1, before: seq + 1, limit: 1 });
    return events[0]?.id ?? null;
  };
  const keepCursor = async (seq: number): Promise<void> => {
    await store.setCursor(name, { seq, id: (await idAt(seq)) ?? "" }, { fence });
    stored = seq;
  };
  const begin = async (): Promise<number> => {
    await clear();
    stored = 0;
    if (from === "start") return 0;
    const end = await store.lastSeq();
    // At once: what comes while the daemon is down is not the past any more.
    await keepCursor(end);
    return end;
  };
  const find = async (): Promise<number> => {
    const cursor = await store.cursor(name);
    const isOfLog = cursor !== null && cursor.seq <= (await store.lastSeq()) && (await idAt(cursor.seq)) === cursor.id;
    if (!isOfLog) return begin();
    stored = cursor.seq;
    return cursor.seq;
  };
  const found = async (): Promise<number> => {
    position ??= await find();
    return position;
  };

  const advance = async (): Promise<Advanced> => {
    const at = await found();
    const end = await store.lastSeq();
    if (at >= end) return { position: at, isAtEnd: true };
    const query = types === undefined ? {} : { types };
    const page = await store.readAll({ after: at, before: end + 1, limit: PAGE_EVENTS, ...query });
    const reached = page.next ?? end;
    if (page.events.length > 0) await take(page.events);
    // A flush for each append that is none of its business would cost more than to look at these again.
    if (page.events.length > 0 || reached - stored >= PAGE_EVENTS) await keepCursor(reached);
    position = reached;
    return { position: reached, isAtEnd: reached >= end };
  };

  return {
    name,
    pauseMs: definition.pauseMs ?? PAUSE_MS,
    position: found,
    advance,
    restart: async () => {
      // The cursor goes first: a crash here leaves one that begins anew, and clears what is left.
      await store.dropCursor(name, { fence });
      position = null;
      await found();
    },
  };
}
