import type { Advanced, Cursor, Follower, RecordedEvent, Store } from "../../store/index.ts";

/** A follower whose cursor the store keeps. The definition itself stores what it makes. */
export interface DefinedFollower {
  /** Names the cursor and the metrics: lower case, digits and dashes. */
  readonly name: string;
  /** Only events of these types, with or without version; all types when absent. */
  readonly types?: readonly string[];
  /** `now`: starts at the end of the log, for work that must not be done for past events. */
  readonly from?: "start" | "now";
  readonly pauseMs?: number;
  /**
   * Gets each event at least once, in order, none left out: after a crash the last page comes again. An erased event
   * has no data; a follower that copies data must also handle `data.erased`.
   */
  readonly take: (events: readonly RecordedEvent[]) => Promise<void>;
  /** Deletes everything it has made. Called before the first start and before each restart. */
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

/**
 * Runs a follower on the log, with its cursor in the store. The cursor is written after the page was taken, never
 * before.
 */
export function storedFollower(definition: DefinedFollower, store: CursorStore, fence: number): Follower {
  const { name, types, from = "start", take, clear } = definition;
  /** Null until the stored cursor was checked against this log. */
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
    // Written at once: events that come while the daemon is down are no longer the past.
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
    // A flush for each append without a matching event would cost more than reading those events again.
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
      // The cursor is dropped first: after a crash here the follower starts again and clears the rest.
      await store.dropCursor(name, { fence });
      position = null;
      await found();
    },
  };
}
