import type { InputOf, LogEvent, OutputOf, StreamItem } from "../../src/client/index.ts";
import type { SessionFollower } from "../live/index.ts";
import {
  createFold,
  type Entry,
  type Fold,
  NOTHING_STREAMED,
  type Streamed,
  withEvent,
  withFrame,
} from "../talk/index.ts";
import type { Anchor } from "./find-version.ts";
import { isMarked, scanMarks } from "./mark-scan.ts";
import { createPages, PAGE } from "./pages-of-log.ts";
import { type EventWindow, isNext, NO_EVENTS, trimmed, withNewer } from "./window.ts";
import { createQueue } from "./work-queue.ts";

export interface TalkState {
  readonly window: EventWindow;
  readonly entries: readonly Entry[];
  readonly streamed: Streamed;
  /** From a turn's start to its first text, where this page saw it. */
  readonly firstMs: ReadonlyMap<string, number>;
  /** The version of the newest event that is known. */
  readonly newest: number;
  /** Turns, questions, errors and rewinds of the whole session, as far as they were read; in order. */
  readonly marked: readonly LogEvent[];
  readonly isLoading: boolean;
  readonly error: unknown;
}

export interface LiveTalk {
  readonly older: () => void;
  readonly newer: () => void;
  readonly toEnd: () => void;
  readonly jump: (version: number, known: readonly Anchor[]) => void;
  /** Tells which end may be dropped. */
  readonly look: (atEnd: boolean) => void;
  /** Reads what is new, where there is no stream. */
  readonly ask: () => void;
  readonly close: () => void;
}

interface LiveTalkDeps {
  readonly id: string;
  readonly read: (input: InputOf<"session.events">) => Promise<OutputOf<"session.events">>;
  readonly follow: (id: string, follower: SessionFollower) => () => void;
  readonly nowMs: () => number;
  readonly changed: (state: TalkState) => void;
}

/** Beyond this many pages behind, the newest page is read instead of all in between. */
const CATCH_UP_PAGES_MAX = 5;

export const NO_TALK: TalkState = {
  window: NO_EVENTS,
  entries: [],
  streamed: NOTHING_STREAMED,
  firstMs: new Map(),
  newest: 0,
  marked: [],
  isLoading: true,
  error: null,
};

/**
 * A session's talk: pages of its log and what its stream brings, each event once. Live events count only when they follow
 * the last one that is held; everything else is read from the log.
 */
export function createLiveTalk({ id, read, follow, nowMs, changed }: LiveTalkDeps): LiveTalk {
  let state = NO_TALK;
  let fold: Fold = createFold();
  let folded: readonly LogEvent[] = [];
  let isAtEnd = true;
  let isClosed = false;
  let isScanned = false;
  let heard = 0;
  let last: Anchor | null = null;

  const set = (change: Partial<TalkState>): void => {
    if (isClosed) return;
    state = { ...state, ...change };
    changed(state);
  };
  const show = (window: EventWindow, more: Partial<TalkState> = {}): void => {
    const isLonger = folded.length > 0 && folded[0] === window.events[0] && folded.length <= window.events.length;
    if (!isLonger) fold = createFold();
    for (const event of window.events.slice(isLonger ? folded.length : 0)) fold.add(event);
    folded = window.events;
    const newest = Math.max(state.newest, ownVersion(window.events.at(-1)));
    const end = window.events.at(-1);
    if (end !== undefined && ownVersion(end) > (last?.version ?? 0)) last = end;
    set({ window, entries: fold.entries(), newest, ...more });
  };
  const ownVersion = (event: LogEvent | undefined): number => (event?.stream === `session/${id}` ? event.version : 0);
  const trimmedNow = (window: EventWindow): EventWindow => trimmed(window, isAtEnd ? "oldest" : "newest");
  const pages = createPages({ id, read, state: () => state });

  const queue = createQueue({
    isOver: () => isClosed,
    begin: () => set({ isLoading: true }),
    done: (error) => set({ isLoading: false, error }),
  });
  const openEnd = async (): Promise<void> => {
    show(await pages.end());
  };
  const catchUp = async (): Promise<void> => {
    if (state.window.events.length === 0) await openEnd();
    for (let pages = 0; !state.window.hasNewer; pages += 1) {
      const last = state.window.events.at(-1);
      if (last === undefined) return;
      if (pages > CATCH_UP_PAGES_MAX) {
        await openEnd();
        pages = 0;
        continue;
      }
      const page = await read({ id, after: last.seq, limit: PAGE * 2 });
      take(page.events);
      if (page.next === null && heard <= (state.window.events.at(-1)?.seq ?? 0)) return;
      if (page.events.length === 0) return;
    }
  };
  const take = (events: readonly LogEvent[], more: Partial<TalkState> = {}): void => {
    show(trimmedNow(withNewer(state.window, events, false)), { ...more, marked: withMarked(state.marked, events) });
  };
  /** Runs beside the rest; what a cut connection ended begins anew. */
  const scan = async (): Promise<void> => {
    if (isScanned) return;
    isScanned = true;
    isScanned = await scanMarks(id, read, (events) => {
      set({ marked: withMarked(state.marked, events) });
      return !isClosed;
    }).catch(() => false);
  };
  const onLive = (): void => {
    queue.add("catch up", catchUp);
    // After the first page, which somebody waits for.
    queue.add("marks", async () => void scan());
  };

  const onItems = (items: readonly StreamItem[]): void => {
    const { streamed, firstMs, events } = heardIn(state, items, nowMs());
    heard = Math.max(heard, events.at(-1)?.seq ?? 0);
    const newest = Math.max(state.newest, ownVersion(events.at(-1)));
    const isFollowing = state.window.events.length > 0 && !state.window.hasNewer && queue.isEmpty();
    const marked = withMarked(state.marked, events);
    if (events.length === 0 || state.window.hasNewer) set({ streamed, firstMs, newest, marked });
    else if (isFollowing && isNext(state.window, events)) take(events, { streamed, firstMs });
    else {
      set({ streamed, firstMs, newest });
      queue.add("catch up", catchUp);
    }
  };

  const stop = follow(id, { onItems, onLive });
  // The first page does not wait for the stream.
  onLive();

  return {
    older: () => queue.add("older", () => pages.older().then((window) => window !== null && show(trimmedNow(window)))),
    newer: () =>
      queue.add("newer", async () => {
        const window = await pages.newer();
        if (window !== null) show(trimmed(window, "oldest"));
        if (window?.hasNewer === false) await catchUp();
      }),
    toEnd: () =>
      queue.add("to the end", async () => {
        isAtEnd = true;
        await openEnd();
        await catchUp();
      }),
    jump: (version, known) =>
      queue.add(`jump ${version}`, async () => {
        isAtEnd = false;
        const window = await pages.around(version, last === null ? known : [...known, last]);
        if (window !== null) show(window);
      }),
    look: (atEnd) => {
      isAtEnd = atEnd;
    },
    ask: () => queue.add("catch up", catchUp),
    close: () => {
      isClosed = true;
      stop();
    },
  };
}

/** What the stream's items change, besides the window. */
function heardIn({ streamed, firstMs }: TalkState, items: readonly StreamItem[], nowMs: number) {
  let first = firstMs;
  const events: LogEvent[] = [];
  let now = streamed;
  for (const item of items) {
    if (item.event === "delta") now = withFrame(now, item.data, nowMs);
    if (item.event !== "event") continue;
    events.push(item.data);
    if (item.data.type === "turn.ended@1" && now.firstMs !== null) first = new Map(first).set(now.turnId, now.firstMs);
    now = withEvent(now, item.data);
  }
  return { streamed: now, firstMs: first, events };
}

function withMarked(marked: readonly LogEvent[], events: readonly LogEvent[]): readonly LogEvent[] {
  const fresh = events.filter(isMarked);
  if (fresh.length === 0) return marked;
  const all = new Map([...marked, ...fresh].map((event) => [event.seq, event]));
  return [...all.values()].toSorted((one, other) => one.seq - other.seq);
}
