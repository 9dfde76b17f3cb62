import { NomosError } from "../../contract/index.ts";
import {
  idIn,
  type PathSegment,
  type Point,
  Session,
  type SessionState,
  sessionFact,
  type View,
} from "../../kernel/index.ts";
import type { EventPage, EventQuery, RecordedEvent, Store } from "../../store/index.ts";

/** Finds an event in a session's history, which includes the inherited part of its ancestors. */
export async function findPoint(store: Store, state: SessionState, eventId: string): Promise<Point> {
  const event = await store.event(eventId);
  if (event === null) throw new NomosError("event_not_found", { eventId });
  for await (const { stream, version } of ancestry(store, state))
    if (event.stream === stream && event.version <= version) return { stream, version: event.version, eventId };
  throw new NomosError("event_not_found", { eventId, sessionId: state.id });
}

/** The session's own stream, then the part of each ancestor's stream that was inherited, up to the fork. */
async function* ancestry(
  store: Store,
  state: SessionState,
): AsyncGenerator<{ readonly stream: string; readonly version: number }> {
  yield { stream: state.stream, version: state.version };
  let from = state.forkedFrom;
  for (let generation = 0; from !== null && generation < GENERATIONS_MAX; generation += 1) {
    yield { stream: from.stream, version: from.version };
    from = (await sessionAt(store, from)).forkedFrom;
  }
}

/** The view at a point. At the head it is in the state; elsewhere it is folded from the last fold snapshot before it. */
export async function viewAt(store: Store, state: SessionState, point: Point): Promise<View> {
  if (point.stream === state.stream && point.version === state.version) return state.view;
  return (await sessionAt(store, point)).view;
}

/** The state of a session at a point of its stream. */
export async function sessionAt(
  store: Store,
  { stream, version }: { readonly stream: string; readonly version: number },
): Promise<SessionState> {
  const id = idIn(Session, stream);
  if (id === null) throw new NomosError("event_not_found", { stream, version });
  return store.fold(Session, id, version);
}

interface Stretch {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
}

const GENERATIONS_MAX = 1000;
const STRETCHES_MAX = 10_000;
/** Limits how much a rare filter reads; the answer is then a short page. */
const PAGES_READ_MAX = 16;

/** The events of the current path: without those that rewinds dropped. */
export async function readPath(store: Store, state: SessionState, query: EventQuery): Promise<EventPage> {
  const found: RecordedEvent[] = [];
  const { after = 0, before = Number.MAX_SAFE_INTEGER, limit, descending = false } = query;
  const path = await stretches(store, state);
  let pages = 0;
  for (const stretch of descending ? path.toReversed() : path) {
    const bounds = {
      after: Math.max(after, await seqBefore(store, stretch)),
      before: Math.min(before, (await store.seqAt(stretch.stream, stretch.to)) + 1),
    };
    while (bounds.after + 1 < bounds.before) {
      const page = await store.readStream(stretch.stream, { ...query, ...bounds, limit: limit - found.length });
      found.push(...page.events);
      pages += 1;
      if (found.length >= limit) return { events: found, next: found.at(-1)?.seq ?? null };
      if (page.next === null) break;
      bounds[descending ? "before" : "after"] = page.next;
      if (pages >= PAGES_READ_MAX) return { events: found, next: page.next };
    }
  }
  return { events: found, next: null };
}

/** Whether an event is on the current path. */
export async function isOnPathOf(
  store: Store,
  state: SessionState,
): Promise<(event: { readonly stream: string; readonly version: number }) => boolean> {
  const path = await stretches(store, state);
  return (event) =>
    path.some(({ stream, from, to }) => stream === event.stream && from <= event.version && event.version <= to);
}

/** The `seq` of the last event that the paths of two states have in common; 0: none. */
export async function partingOf(store: Store, one: SessionState, other: SessionState): Promise<number> {
  const others = await stretches(store, other);
  let seq = 0;
  for (const [index, { stream, from, to }] of (await stretches(store, one)).entries()) {
    const twin = others[index];
    if (twin === undefined || twin.stream !== stream || twin.from !== from) break;
    seq = await store.seqAt(stream, Math.min(to, twin.to));
    if (to !== twin.to) break;
  }
  return seq;
}

async function stretches(store: Store, state: SessionState): Promise<readonly Stretch[]> {
  const own = (segments: readonly PathSegment[], head: number): Stretch[] =>
    segments.flatMap((segment) =>
      segment.kind === "own" ? [{ stream: segment.stream, from: segment.from, to: segment.to ?? head }] : [],
    );
  let result = own(state.view.path, state.version);
  let inherited = state.view.path.find((segment) => segment.kind === "inherited");
  while (inherited !== undefined && result.length < STRETCHES_MAX) {
    const { path } = (await sessionAt(store, inherited)).view;
    result = [...own(path, inherited.version), ...result];
    inherited = path.find((segment) => segment.kind === "inherited");
  }
  return result;
}

async function seqBefore(store: Store, stretch: Stretch): Promise<number> {
  return stretch.from <= 1 ? 0 : store.seqAt(stretch.stream, stretch.from - 1);
}

interface Done {
  readonly effectId: string;
  readonly kind: string;
  readonly detail: unknown;
}

/** Effects after a point that a rewind cannot undo, oldest first. */
export async function irrevocableSince(
  store: Store,
  state: SessionState,
  point: Point,
  before: number,
): Promise<readonly Done[]> {
  let done: readonly Done[] = [];
  for await (const { stream, version } of ancestry(store, state)) {
    const isHere = stream === point.stream;
    const after = isHere ? await store.seqAt(stream, point.version) : 0;
    const until = Math.min(before, (await store.seqAt(stream, version)) + 1);
    done = [...(await begunBetween(store, stream, after, until)), ...done];
    if (isHere || done.length >= IRREVOCABLE_MAX) break;
  }
  return done.slice(0, IRREVOCABLE_MAX);
}

/** Only effects that began: a refused effect did nothing. */
async function begunBetween(store: Store, stream: string, after: number, before: number): Promise<readonly Done[]> {
  const intended = new Map<string, Done>();
  const done: Done[] = [];
  for (let cursor: number | null = after; cursor !== null && done.length < IRREVOCABLE_MAX; ) {
    const types = ["effect.intended", "effect.begun"];
    const page: EventPage = await store.readStream(stream, { after: cursor, before, limit: IRREVOCABLE_MAX, types });
    for (const fact of page.events.map(sessionFact)) {
      if (fact?.type === "effect.intended@1") {
        const { effectId, kind, detail } = fact.data;
        intended.set(effectId, { effectId, kind, detail });
      } else if (fact?.type === "effect.begun@1") {
        const known = intended.get(fact.data.effectId);
        if (known !== undefined) done.push(known);
      }
    }
    cursor = page.next;
  }
  return done;
}

const IRREVOCABLE_MAX = 200;
