import {
  type ActivityPart,
  type ActivitySums,
  createActivitySums,
  type TurnOrigin,
  type WorkedStep,
} from "../../domains/index.ts";
import { idIn, SESSIONS, Session, sessionFact, sessionStream } from "../../kernel/index.ts";
import type { EventPage, RecordedEvent, Store } from "../../store/index.ts";

interface ActivityQuery {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly stepMs: number;
  /** The seqs that hold the range: after the first, before the second. */
  readonly after: number;
  readonly before: number;
  /** The first part also counts the turns that run now. */
  readonly withRunning: boolean;
}

const TYPES = ["turn.started", "turn.ended", "usage.reported"];
/** Of one call: pages of the log, and sessions whose agent has to be found. */
const BOUNDS = { page: 1000, pagesMax: 20, sessionsMax: 1000 };
const RUNNING_MAX = 500;
/** Pages of one session that are searched for the start of a turn. */
const START_PAGES_MAX = 4;

interface OpenTurn {
  readonly stream: string;
  readonly seq: number;
  readonly endedMs: number;
}

/** Sums over the turns of a range, newest part first. `next`: the `before` of the next part; null at the end. */
export async function readActivity(
  store: Store,
  query: ActivityQuery,
  { page: limit, pagesMax, sessionsMax }: typeof BOUNDS = BOUNDS,
): Promise<{
  readonly parts: readonly ActivityPart[];
  readonly working: readonly WorkedStep[];
  readonly next: number | null;
}> {
  const sums = createActivitySums(query);
  const origins = new Map<string, Promise<TurnOrigin>>();
  const originOf = (stream: string): Promise<TurnOrigin> => {
    const known = origins.get(stream) ?? readOrigin(store, stream);
    origins.set(stream, known);
    return known;
  };
  const open = new Map<string, OpenTurn>();
  let next: number | null = query.before;
  if (query.withRunning) await addRunning(store, sums, query.untilMs);
  for (let pages = 0; next !== null && pages < pagesMax && origins.size < sessionsMax; pages += 1) {
    const page: EventPage = await store.readAll({
      ...{ after: query.after, before: next, limit, descending: true, types: TYPES },
    });
    for (const event of page.events) await addEvent(sums, event, open, originOf);
    next = page.next;
  }
  // These turns began before the part: their start is not read again with the next one.
  for (const [turnId, turn] of open) {
    const startedMs = await startOf(store, turn.stream, turn.seq, turnId);
    if (startedMs !== null) sums.worked(startedMs, turn.endedMs);
  }
  return { parts: sums.parts(), working: sums.working(), next };
}

async function addEvent(
  sums: ActivitySums,
  event: RecordedEvent,
  open: Map<string, OpenTurn>,
  originOf: (stream: string) => Promise<TurnOrigin>,
): Promise<void> {
  const fact = sessionFact(event);
  const atMs = Date.parse(event.at);
  if (fact?.type === "turn.ended@1") {
    open.set(fact.data.turnId, { stream: event.stream, seq: event.seq, endedMs: atMs });
    sums.ended(atMs, await originOf(event.stream));
  } else if (fact?.type === "turn.started@1") {
    const ended = open.get(fact.data.turnId);
    if (ended === undefined) return;
    open.delete(fact.data.turnId);
    sums.worked(atMs, ended.endedMs);
  } else if (fact?.type === "usage.reported@1" && fact.data.spent !== undefined)
    sums.told(atMs, await originOf(event.stream), fact.data.spent);
}

/** Null: it never started, such as a turn that was cancelled in the queue. */
async function startOf(store: Store, stream: string, endSeq: number, turnId: string | null): Promise<number | null> {
  let before: number | null = endSeq;
  for (let pages = 0; before !== null && pages < START_PAGES_MAX; pages += 1) {
    const page: EventPage = await store.readStream(stream, {
      ...{ before, limit: 1, descending: true, types: ["turn.started"] },
      ...(turnId === null ? {} : { turnId }),
    });
    const [started] = page.events;
    if (started !== undefined) return Date.parse(started.at);
    before = page.next;
  }
  return null;
}

async function addRunning(store: Store, sums: ActivitySums, nowMs: number): Promise<void> {
  for (const { id, busy } of await store.rows(SESSIONS, { where: { active: true }, limit: RUNNING_MAX })) {
    const startedMs = busy ? await startOf(store, sessionStream(id), Number.MAX_SAFE_INTEGER, null) : null;
    if (startedMs !== null) sums.worked(startedMs, nowMs);
  }
}

/** The model is the one that the session has now: which one served an old turn is not told. */
async function readOrigin(store: Store, stream: string): Promise<TurnOrigin> {
  const { spec, driver } = await store.fold(Session, idIn(Session, stream) ?? "");
  const offered = driver?.offer?.options.find(({ category }) => category === "model")?.current;
  return {
    agent: spec?.agent ?? null,
    workspace: spec?.workspace ?? null,
    model: driver?.settings?.model ?? (typeof offered === "string" ? offered : null),
  };
}
