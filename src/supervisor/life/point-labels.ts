import type { By, Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import { fact, isUuid, LIMITS, type Point, Session, type SessionState, sessionFact } from "../../kernel/index.ts";
import type { EventPage, RecordedEvent, Store } from "../../store/index.ts";
import { findPoint, isOnPathOf } from "./lineage.ts";

/** A point of a session's history that a person has named. */
export interface PointLabel {
  readonly eventId: string;
  readonly label: string;
  /** When it was named. */
  readonly at: string;
  /** The place of the event in the log. */
  readonly seq: number;
  /** False: a rewind went back behind it. */
  readonly isOnPath: boolean;
}

export interface Labelling {
  /** Names a point; a label that is at another point moves. Null takes the point's label away. */
  readonly mark: (id: string, point: string, label: string | null, by: By) => Promise<readonly RecordedEvent[]>;
}

export function createLabelling({
  store,
  committer,
}: {
  readonly store: Store;
  readonly committer: Committer;
}): Labelling {
  return {
    mark: (id, named, label, by) =>
      committer.alone(Session, id, async ({ state, change }) => {
        const now = await state();
        const { eventId } = await pointNamed(store, now, named);
        const labels = await pointLabels(store, now);
        const before = labels.find((one) => one.eventId === eventId)?.label ?? null;
        const isNew = label !== null && before === null && labels.every((one) => one.label !== label);
        if (isNew && labels.length >= LIMITS.pointLabelsMax)
          throw new NomosError("labels_full", { id, labelsMax: LIMITS.pointLabelsMax });
        return change(() => (before === label ? [] : [fact("point.labelled@1", { eventId, label })]), by);
      }),
  };
}

/** A point by its event's id or by its label. */
export async function pointNamed(store: Store, state: SessionState, name: string): Promise<Point> {
  if (isUuid(name) || (await store.event(name)) !== null) return findPoint(store, state, name);
  const found = (await pointLabels(store, state)).find(({ label }) => label === name);
  if (found === undefined) throw notThere(name, state.id);
  return findPoint(store, state, found.eventId);
}

function notThere(name: string, sessionId: string): NomosError {
  const message = `No event of this session has the id \`${name}\`, and no point has this label.`;
  return new NomosError("event_not_found", { eventId: name, sessionId }, { message });
}

/**
 * All labelled points, in the order of the log. A rewind takes no label back. A fork has those that its ancestors had on
 * its path when it was made.
 */
export async function pointLabels(store: Store, state: SessionState): Promise<readonly PointLabel[]> {
  const given = new Map<string, Given>();
  for (const { stream, before } of (await family(store, state)).toReversed())
    for await (const { eventId, label, at } of labelsIn(store, stream, before)) {
      for (const [other, one] of given) if (one.label === label) given.delete(other);
      given.delete(eventId);
      if (label !== null) given.set(eventId, { label, at, isOwn: stream === state.stream });
    }
  const isOnPath = await isOnPathOf(store, state);
  const found = await Promise.all(
    [...given].map(async ([eventId, { label, at, isOwn }]): Promise<readonly PointLabel[]> => {
      const event = await store.event(eventId);
      if (event === null) return [];
      const point = { eventId, label, at, seq: event.seq, isOnPath: isOnPath(event) };
      return isOwn || point.isOnPath ? [point] : [];
    }),
  );
  return found.flat().toSorted((a, b) => a.seq - b.seq);
}

interface Given {
  readonly label: string;
  readonly at: string;
  readonly isOwn: boolean;
}

interface Relative {
  readonly stream: string;
  /** Labels from here on were given after the fork: they are not inherited. */
  readonly before: number;
}

const GENERATIONS_MAX = 1000;
const PAGE_EVENTS = 500;

/** The session itself, then its ancestors. */
async function family(store: Store, state: SessionState): Promise<readonly Relative[]> {
  const found: Relative[] = [{ stream: state.stream, before: Number.MAX_SAFE_INTEGER }];
  for (let one = state; one.forkedFrom !== null && found.length < GENERATIONS_MAX; ) {
    const before = await store.seqAt(one.stream, 1);
    one = await store.fold(Session, one.forkedFrom.sessionId);
    found.push({ stream: one.stream, before });
  }
  return found;
}

async function* labelsIn(store: Store, stream: string, before: number) {
  const types = ["point.labelled"];
  for (let after: number | null = 0; after !== null; ) {
    const page: EventPage = await store.readStream(stream, { after, before, limit: PAGE_EVENTS, types });
    for (const event of page.events) {
      const fact = sessionFact(event);
      if (fact?.type === "point.labelled@1") yield { ...fact.data, at: event.at };
    }
    after = page.next;
  }
}
