import { ownEntry } from "../own-entry.ts";
import type { Refusal } from "../refusal.ts";
import { ALARMS, type Alarm } from "./alarm.ts";
import type { AnyFact, EventDefinitions, FactOf, Placed } from "./event.ts";
import type { List, RowChange } from "./list.ts";
import { QUEUED, type Queued } from "./queue.ts";
import { COMMON_EVENTS } from "./shared-events.ts";
import { stateRows } from "./state-rows.ts";

/** What a decision comes to: facts to append in one go (none: nothing to do), or a refusal. */
export type Decision = readonly AnyFact[] | Refusal;

/** What every fold has: the version of the last event folded, 0 before the first. */
export interface Folding {
  readonly version: number;
}

/** What a state is bounded by. Fixed once it is written: the folds of old logs depend on it. */
export interface StateLimit {
  readonly max: number;
  /** What is counted, for the page of limits. */
  readonly of: string;
}

/**
 * A kind of stream, defined once: its events, its fold, its lists, its alarms. Stores, fold snapshots, rebuild, doctor,
 * backup, erasure and the reference follow from it. Its parts are methods, so that an aggregate of any state can stand
 * where the state does not matter.
 */
export interface Aggregate<State extends Folding = Folding> {
  readonly kind: string;
  /** There is only one stream of it, called by the kind; otherwise one for each id, `kind/id`. */
  readonly isSingle: boolean;
  readonly events: EventDefinitions;
  readonly lists: readonly List[];
  readonly limits: { readonly [name: string]: StateLimit };
  empty(id: string): State;
  /** One event further. Total: it never refuses, because the log is the truth. */
  evolve(state: State, event: Placed): State;
  /** Rows that one event brings; `before` is the state that it meets. */
  rowsOfEvent(before: State, event: Placed): readonly RowChange[];
  /** The row of the stream itself, behind its last event. */
  ownRows(state: State, id: string): readonly RowChange[];
  /** Whose quota it draws on: an id of the same kind, which may draw on another's. A stream keeps what its first append said. */
  account(state: State, id: string): string;
  /** Whether any state of it says alarms: nobody looks for them after its appends otherwise. */
  readonly hasAlarms: boolean;
  alarms(state: State): readonly Alarm[];
  /** What is decided when an alarm is due. It has to end the alarm, or set it to a later time. */
  ring(state: State, alarm: Alarm): Decision;
  /** Whether any state of it says what waits in lanes. */
  readonly hasQueued: boolean;
  queued(state: State): readonly Queued[];
  /**
   * How many may run at once in a lane that this kind owns: the one called by the kind, or `kind/...`. Null: the room
   * starts what waits in them itself.
   */
  readonly laneMax: ((lane: string) => number) | null;
  /** What is decided when a lane has room for an item that waits in it. */
  start(state: State, item: string): Decision;
  /** Why nothing of it may be erased now; null when it may. */
  refuseErasure(state: State): Refusal | null;
}

/** What a room says of its aggregate. Methods again: the machinery hands it only facts of its own. */
export interface AggregateDefinition<State extends Folding, Events extends EventDefinitions> {
  readonly kind: string;
  readonly events: Events;
  readonly lists: readonly List[];
  readonly empty: (id: string) => State;
  evolve(state: State, event: Placed<FactOf<Events>>): State;
  readonly isSingle?: boolean;
  readonly limits?: Aggregate["limits"];
  rowsOfEvent?(before: State, event: Placed<FactOf<Events>>): readonly RowChange[];
  readonly ownRows?: (state: State, id: string) => readonly RowChange[];
  readonly account?: (state: State, id: string) => string;
  readonly alarms?: (state: State) => readonly Alarm[];
  readonly ring?: (state: State, alarm: Alarm) => Decision;
  readonly queued?: (state: State) => readonly Queued[];
  readonly laneMax?: (lane: string) => number;
  readonly start?: (state: State, item: string) => Decision;
  readonly refuseErasure?: (state: State) => Refusal | null;
}

export function defineAggregate<State extends Folding, Events extends EventDefinitions>(
  given: AggregateDefinition<State, Events>,
): Aggregate<State> {
  const nothing = (): readonly never[] => [];
  return {
    isSingle: false,
    limits: {},
    rowsOfEvent: nothing,
    ownRows: nothing,
    account: (_state, id) => id,
    alarms: nothing,
    ring: nothing,
    queued: nothing,
    laneMax: null,
    start: nothing,
    refuseErasure: () => null,
    ...given,
    hasAlarms: given.alarms !== undefined,
    hasQueued: given.queued !== undefined,
    events: { ...COMMON_EVENTS, ...given.events },
  };
}

export function streamOf(of: Pick<Aggregate, "kind" | "isSingle">, id: string): string {
  return of.isSingle ? of.kind : `${of.kind}/${id}`;
}

/** The id in the name of a stream; null when the stream is of another kind. */
export function idIn(of: Pick<Aggregate, "kind" | "isSingle">, stream: string): string | null {
  if (of.isSingle) return stream === of.kind ? "" : null;
  return stream.startsWith(`${of.kind}/`) ? stream.slice(of.kind.length + 1) : null;
}

/** One event further, whoever it is of: a fold sees only the facts of its own room. */
export function evolveBy<State extends Folding>(of: Aggregate<State>, state: State, event: Placed): State {
  return of.evolve(state, ownPart(of, event));
}

/** Folds a stretch of events and says what it changes in the lists. */
export function foldAll<State extends Folding>(
  of: Aggregate<State>,
  id: string,
  from: State,
  events: readonly Placed[],
): { readonly state: State; readonly rows: readonly RowChange[] } {
  let state = from;
  const rows: RowChange[] = [];
  for (const event of events) {
    const own = ownPart(of, event);
    rows.push(...of.rowsOfEvent(state, own));
    state = of.evolve(state, own);
  }
  const stream = streamOf(of, id);
  rows.push(
    ...of.ownRows(state, id),
    ...stateRows(ALARMS, stream, of.alarms(from), of.alarms(state), ({ name }) => name),
    ...stateRows(QUEUED, stream, of.queued(from), of.queued(state), ({ item }) => item),
  );
  return { state, rows };
}

function ownPart(of: Aggregate, event: Placed): Placed {
  const isOwn = event.fact === null || ownEntry(of.events, event.fact.type) !== undefined;
  return isOwn ? event : { ...event, fact: null };
}
