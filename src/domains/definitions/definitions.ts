import {
  type Aggregate,
  ALARMS,
  type AnyFact,
  evolveBy,
  type Folding,
  foldAll,
  idIn,
  isCustom,
  isCustomType,
  type Line,
  type List,
  type Placed,
  QUEUED,
  type RowChange,
  type SpaceNeed,
} from "../../kernel/index.ts";

/** A fold with its aggregate's kind, so that a stored fold says what it is. */
export interface Folded {
  readonly kind: string;
  readonly state: Folding;
}

/** Everything that the domains define. This list of aggregates is the only one. */
export interface Definitions {
  readonly aggregates: readonly Aggregate[];
  /** All lists, including those of alarms and queues. */
  readonly lists: readonly List[];
  readonly types: readonly string[];
  /** Types of events that can be found by search. */
  readonly searched: readonly string[];
  /** The search text of a fact; null when it has none. */
  readonly wordsOf: (fact: AnyFact) => string | null;
  /** Types of events that are shown as lines. */
  readonly shown: readonly string[];
  readonly linesOf: (fact: AnyFact) => readonly Line[];
  /** Null for a stream of an unknown aggregate. */
  readonly kindOf: (stream: string) => { readonly of: Aggregate; readonly id: string } | null;
  readonly empty: (stream: string) => Folded;
  readonly evolve: (stream: string, folded: Folded, event: Placed) => Folded;
  readonly foldAll: (
    stream: string,
    from: Folded,
    events: readonly Placed[],
  ) => { readonly folded: Folded; readonly rows: readonly RowChange[] };
  /** Reads stored data as the fact it was written as; null for an unknown type. */
  readonly recall: (type: string, data: unknown) => AnyFact | null;
  readonly isErasable: (type: string) => boolean;
  readonly isExact: (type: string) => boolean;
  /** The strictest space need among the facts. */
  readonly spaceNeedOf: (facts: readonly AnyFact[]) => SpaceNeed;
}

/** Refuses two aggregates, events or tables of one name: the log knows them only by name. */
export function createDefinitions(aggregates: readonly Aggregate[]): Definitions {
  const kinds = byName(aggregates.map((of) => [of.kind, of]));
  const events = byName(aggregates.flatMap((of) => Object.entries(of.events)));
  const lists = byName([...aggregates.flatMap((of) => of.lists), ALARMS, QUEUED].map((list) => [list.table, list]));
  const kindOf: Definitions["kindOf"] = (stream) => {
    const of = kinds.get(stream.split("/", 1)[0] ?? "");
    const id = of === undefined ? null : idIn(of, stream);
    return of === undefined || id === null ? null : { of, id };
  };
  const known = (stream: string): { readonly of: Aggregate; readonly id: string } => {
    const found = kindOf(stream);
    if (found === null) throw new Error(`no fold for a stream of kind ${stream.split("/")[0]}`);
    return found;
  };
  const spaceNeedOfOne = (fact: AnyFact): SpaceNeed => {
    const spaceNeed = isCustom(fact) ? "course" : (events.get(fact.type)?.spaceNeed ?? "end");
    // Outside a turn an external caller sends it, and can send it again later.
    return spaceNeed === "course" && "turnId" in fact.data && fact.data.turnId === null ? "start" : spaceNeed;
  };
  return {
    aggregates,
    lists: [...lists.values()],
    types: [...events.keys()],
    searched: [...events].filter(([, { words }]) => words !== null).map(([type]) => type),
    wordsOf: ({ type, data }) => events.get(type)?.words?.(data as never) ?? null,
    shown: [...events].filter(([, { lines }]) => lines !== null).map(([type]) => type),
    linesOf: ({ type, data }) => events.get(type)?.lines?.(data as never) ?? [],
    kindOf,
    empty: (stream) => {
      const { of, id } = known(stream);
      return { kind: of.kind, state: of.empty(id) };
    },
    evolve: (stream, { kind, state }, event) => ({ kind, state: evolveBy(known(stream).of, state, event) }),
    foldAll: (stream, { kind, state: from }, given) => {
      const { of, id } = known(stream);
      const { state, rows } = foldAll(of, id, from, given);
      return { folded: { kind, state }, rows };
    },
    recall: (type, data) => (events.has(type) || isCustomType(type) ? { type, data: data as object } : null),
    isErasable: (type) => events.get(type)?.erasable === true || isCustomType(type),
    isExact: (type) => events.get(type)?.exact === true,
    spaceNeedOf: (facts) => {
      const found = facts.map(spaceNeedOfOne);
      return ORDER.find((spaceNeed) => found.includes(spaceNeed)) ?? "end";
    },
  };
}

function byName<Thing>(named: readonly (readonly [string, Thing])[]): ReadonlyMap<string, Thing> {
  const found = new Map<string, Thing>();
  for (const [name, thing] of named) {
    if ((found.get(name) ?? thing) !== thing) throw new TypeError(`${name} is defined twice`);
    found.set(name, thing);
  }
  return found;
}

const ORDER = ["start", "course", "output"] as const;
