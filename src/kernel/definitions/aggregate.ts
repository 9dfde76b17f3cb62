import { ownEntry } from "../own-entry.ts";
import type { Refusal } from "../refusal.ts";
import { ALARMS, type Alarm } from "./alarm.ts";
import type { AnyFact, EventDefinitions, FactOf, Placed } from "./event.ts";
import type { List, RowChange } from "./list.ts";
import { QUEUED, type Queued } from "./queue.ts";
import { COMMON_EVENTS } from "./shared-events.ts";
import { stateRows } from "./state-rows.ts";

/** The result of a decision: facts for one append (none: nothing to do), or a refusal. */
export type Decision = readonly AnyFact[] | Refusal;

/** What every fold has: the version of the last event folded, 0 before the first. */
export interface Folding {
  readonly version: number;
}

/** The limits of a state. They never change, because the folds of old logs depend on them. */
export interface StateLimit {
  readonly max: number;
  /** What is counted, for the documentation of limits. */
  readonly of: string;
}

/**
 * An aggregate: its events, fold, lists and alarms. Stores, fold snapshots, rebuild, doctor, backup, erasure and the
 * reference docs follow from it. Members are methods, so that aggregates of any state fit where the state's type does
 * not matter.
 */
export interface Aggregate<State extends Folding = Folding> {
  readonly kind: string;
  /** True: there is one stream, named by the kind; otherwise one stream per id, `kind/id`. */
  readonly isSingle: boolean;
  readonly events: EventDefinitions;
  readonly lists: readonly List[];
  readonly limits: { readonly [name: string]: StateLimit };
  empty(id: string): State;
  /** Folds one event. Total: it never refuses, because the log is the truth. */
  evolve(state: State, event: Placed): State;
  /** Rows that one event adds; `before` is the state before it. */
  rowsOfEvent(before: State, event: Placed): readonly RowChange[];
  /** The row of the stream itself, after its last event. */
  ownRows(state: State, id: string): readonly RowChange[];
  /** Whose quota it draws on: an id of the same kind, which may draw on another's. A stream keeps what its first append said. */
  account(state: State, id: string): string;
  /** Whether its states can have alarms; if not, its appends are not searched for any. */
  readonly hasAlarms: boolean;
  alarms(state: State): readonly Alarm[];
  /** The decision when an alarm is due. It must end the alarm or set it to a later time. */
  ring(state: State, alarm: Alarm): Decision;
  /** Whether its states can have items in lanes. */
  readonly hasQueued: boolean;
  queued(state: State): readonly Queued[];
  /** How many items may run at once in a lane of this aggregate. Null: the domain starts its items itself. */
  readonly laneMax: ((lane: string) => number) | null;
  /** The decision when a lane has room for a waiting item. */
  start(state: State, item: string): Decision;
  /** Why nothing may be erased now; null when it may. */
  refuseErasure(state: State): Refusal | null;
}

/** What a domain defines of its aggregate. Its fold gets only facts of its own. */
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

/** The id in a stream's name; null when the stream is of another aggregate. */
export function idIn(of: Pick<Aggregate, "kind" | "isSingle">, stream: string): string | null {
  if (of.isSingle) return stream === of.kind ? "" : null;
  return stream.startsWith(`${of.kind}/`) ? stream.slice(of.kind.length + 1) : null;
}

/** Folds one event of any domain: the fold itself sees only its own facts. */
export function evolveBy<State extends Folding>(of: Aggregate<State>, state: State, event: Placed): State {
  return of.evolve(state, ownPart(of, event));
}

/** Folds several events and returns their changes to the lists. */
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
