import { AGGREGATES as HOUSE } from "../../../src/domains/index.ts";
import {
  type Aggregate,
  defineAggregate,
  defineList,
  event,
  type FactOf,
  factsOf,
  type List,
  type Placed,
} from "../../../src/kernel/index.ts";

/** A test aggregate that the product does not have. */
export interface Chore {
  readonly room: string;
  readonly urgent: boolean;
  readonly due: string | null;
  readonly owner: string;
}

interface ChoreState {
  readonly version: number;
  /** Null before it is set, and when it is done. */
  readonly chore: Chore | null;
}

const EVENTS = {
  "chore.set@1": event<Chore>({ words: ({ room }) => room }),
  "chore.done@1": event<Record<string, never>>(),
};

export const choreFact = factsOf(EVENTS);

export const CHORES = defineList<Chore & { readonly id: string }>()({
  name: "chore",
  table: "chores",
  keys: {
    room: { text: ({ room }) => room, indexed: true },
    urgent: { flag: ({ urgent }) => urgent, indexed: true },
    due: { text: ({ due }) => due },
  },
});

/** The same rows under other keys: one removed, one added, one of another type. */
export const CHORES_BY_OWNER = defineList<Chore & { readonly id: string }>()({
  name: "chore",
  table: "chores",
  keys: {
    owner: { text: ({ owner }) => owner, indexed: true },
    urgent: { text: ({ urgent }) => (urgent ? "yes" : "no") },
    room: { text: ({ room }) => room },
  },
});

/** The product's aggregates and chores, with this list or with none. */
export function houseWithChores(list: List | null): readonly Aggregate[] {
  const chores = defineAggregate({
    kind: "chore",
    events: EVENTS,
    lists: list === null ? [] : [list],
    empty: (): ChoreState => ({ version: 0, chore: null }),
    evolve,
    ownRows: ({ chore }, id) => (list === null ? [] : [{ list, id, put: chore === null ? null : { id, ...chore } }]),
    alarms: ({ chore }) => (chore?.due == null ? [] : [{ name: "due", dueAt: chore.due }]),
  });
  return [...HOUSE, chores];
}

function evolve(state: ChoreState, { version, fact }: Placed<FactOf<typeof EVENTS>>): ChoreState {
  switch (fact?.type) {
    case "chore.set@1":
      return { version, chore: fact.data };
    case "chore.done@1":
      return { version, chore: null };
    default:
      return { ...state, version };
  }
}

export const Chores = { kind: "chore", isSingle: false };
