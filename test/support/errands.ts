import {
  type Alarm,
  defineAggregate,
  defineList,
  event,
  factsOf,
  putRow,
  type Queued,
  refuse,
} from "../../src/kernel/index.ts";

/** A test aggregate that no domain has, to test what every aggregate gets from its definition. */
export const ERRAND_EVENTS = {
  "errand.planned@1": event<{ readonly name: string; readonly dueAt: string }>({ spaceNeed: "start" }),
  "errand.dropped@1": event<{ readonly name: string }>(),
  "errand.queued@1": event<{ readonly item: string; readonly priority: number }>({ spaceNeed: "course" }),
  "errand.taken@1": event<{ readonly item: string }>({ spaceNeed: "course" }),
  "errand.noted@1": event<{ readonly text: string; readonly turnId: string | null }>({
    erasable: true,
    spaceNeed: "output",
    words: ({ text }) => text,
    lines: ({ text }) => [{ line: text, stream: "stdout" }],
  }),
};

export const errandFact = factsOf(ERRAND_EVENTS);

export interface ErrandsState {
  readonly version: number;
  readonly alarms: readonly Alarm[];
  readonly queue: readonly Queued[];
  readonly notes: number;
  /** The types of all facts that reached the fold. */
  readonly seen: readonly string[];
}

export interface NoteRow {
  readonly text: string;
  readonly long: boolean;
}

export const NOTES = defineList<NoteRow>()({
  name: "note",
  table: "notes",
  keys: { text: { text: ({ text }) => text, indexed: true }, long: { flag: ({ long }) => long } },
});

export const Errands = defineAggregate<ErrandsState, typeof ERRAND_EVENTS>({
  kind: "errand",
  events: ERRAND_EVENTS,
  lists: [NOTES],
  empty: () => ({ version: 0, alarms: [], queue: [], notes: 0, seen: [] }),
  evolve: (state, { version, fact, id }) => {
    const next = { ...state, version, seen: fact === null ? state.seen : [...state.seen, fact.type] };
    switch (fact?.type) {
      case "errand.planned@1":
        return { ...next, alarms: [...state.alarms.filter(({ name }) => name !== fact.data.name), fact.data] };
      case "errand.dropped@1":
        return { ...next, alarms: state.alarms.filter(({ name }) => name !== fact.data.name) };
      case "errand.queued@1": {
        const { item, priority } = fact.data;
        const others = state.queue.filter((queued) => queued.item !== item);
        return {
          ...next,
          queue: [...others, { item, lane: "errands", priority, order: id, at: "waiting", heldBy: null }],
        };
      }
      case "errand.taken@1":
        return { ...next, queue: moved(state.queue, fact.data.item) };
      case "errand.noted@1":
        return { ...next, notes: state.notes + 1 };
      default:
        return next;
    }
  },
  rowsOfEvent: ({ notes }, { fact }) =>
    fact?.type === "errand.noted@1"
      ? [putRow(NOTES, `n${notes % 3}`, { text: fact.data.text, long: fact.data.text.length > 4 })]
      : [],
  alarms: ({ alarms }) => alarms,
  queued: ({ queue }) => queue,
  refuseErasure: ({ queue }) => (queue.some(({ at }) => at === "running") ? refuse("session_busy") : null),
});

/** A waiting errand runs; a running one is done. */
function moved(queue: readonly Queued[], item: string): readonly Queued[] {
  return queue.flatMap((queued) => {
    if (queued.item !== item) return [queued];
    return queued.at === "waiting" ? [{ ...queued, at: "running" }] : [];
  });
}
