import { NomosError } from "../contract/index.ts";
import type { PathSegment, Point, SessionState } from "../kernel/index.ts";
import type { EventPage, RecordedEvent, Store } from "../store/index.ts";

/** A session's history reaches back into its ancestors. Finds an event of it, wherever it lies. */
export async function findPoint(store: Store, state: SessionState, eventId: string): Promise<Point> {
  const event = await store.event(eventId);
  if (event === null) throw new NomosError("event_not_found", { eventId });
  let at: SessionState = state;
  for (let generation = 0; generation < GENERATIONS_MAX; generation += 1) {
    if (event.stream === at.stream) return { stream: event.stream, version: event.version, eventId };
    const from = at.forkedFrom;
    if (from === null) break;
    if (event.stream === from.stream && event.version <= from.version)
      return { stream: event.stream, version: event.version, eventId };
    const parent = await store.fold(from.stream, from.version);
    if (parent.kind !== "session") break;
    at = parent.state;
  }
  throw new NomosError("event_not_found", { eventId, sessionId: state.id });
}

interface Stretch {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
}

const GENERATIONS_MAX = 1000;
const STRETCHES_MAX = 10_000;

/** The current path, oldest first: what is left when everything that rewinds left behind is taken out. */
export async function readPath(store: Store, state: SessionState, after: number, limit: number): Promise<EventPage> {
  const found: RecordedEvent[] = [];
  for (const stretch of await stretches(store, state)) {
    let cursor = after;
    while (found.length < limit) {
      const page = await store.readStream(stretch.stream, {
        after: Math.max(cursor, await seqBefore(store, stretch)),
        limit: limit - found.length,
      });
      const inside = page.events.filter((event) => event.version <= stretch.to);
      found.push(...inside);
      const last = page.events.at(-1);
      if (page.next === null || last === undefined || last.version >= stretch.to) break;
      cursor = page.next;
    }
    if (found.length >= limit) return { events: found, next: found.at(-1)?.seq ?? null };
  }
  return { events: found, next: null };
}

async function stretches(store: Store, state: SessionState): Promise<readonly Stretch[]> {
  const own = (segments: readonly PathSegment[], head: number): Stretch[] =>
    segments.flatMap((segment) =>
      segment.kind === "own" ? [{ stream: segment.stream, from: segment.from, to: segment.to ?? head }] : [],
    );
  let result = own(state.view.path, state.version);
  let inherited = state.view.path.find((segment) => segment.kind === "inherited");
  while (inherited !== undefined && result.length < STRETCHES_MAX) {
    const parent = await store.fold(inherited.stream, inherited.version);
    if (parent.kind !== "session") break;
    result = [...own(parent.state.view.path, inherited.version), ...result];
    inherited = parent.state.view.path.find((segment) => segment.kind === "inherited");
  }
  return result;
}

async function seqBefore(store: Store, stretch: Stretch): Promise<number> {
  return stretch.from <= 1 ? 0 : store.seqAt(stretch.stream, stretch.from - 1);
}

/** What was done to the world behind a point and stays done, for whoever goes back to it. */
export async function irrevocableSince(
  store: Store,
  point: Point,
  before: number,
): Promise<readonly { readonly effectId: string; readonly kind: string; readonly detail: unknown }[]> {
  const after = await store.seqAt(point.stream, point.version);
  const page = await store.readStream(point.stream, {
    after,
    before,
    limit: IRREVOCABLE_MAX,
    types: ["effect.intended"],
  });
  return page.events.flatMap(({ data }) =>
    typeof data === "object" && data !== null && "effectId" in data
      ? [{ effectId: String(data["effectId"]), kind: String(data["kind"]), detail: data["detail"] ?? null }]
      : [],
  );
}

const IRREVOCABLE_MAX = 200;
