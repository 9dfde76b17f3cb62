import { SESSIONS, Session } from "../src/kernel/index.ts";
import type { RowPlace, Store } from "../src/store/index.ts";
import { type Bench, type Benchmark, type Figure, interleave, percentile, seededRandom, timedMs } from "./harness.ts";
import { createEventMaker } from "./session-facts.ts";
import { openStore } from "./store-home.ts";

const MANY_SESSIONS = 100_000;
const FEW_SESSIONS = 1000;
/** The daemon's default page size. */
const LIST_ROWS = 200;
const SEARCH_HITS = 20;

/** A page of the list, and a full-text search, among very many sessions; against the same among a thousand. */
export const listSearchBenchmark: Benchmark = {
  name: "list-search",
  run: async (bench) => {
    const count = bench.quick ? MANY_SESSIONS / 10 : MANY_SESSIONS;
    const few = await bench.homes.sessions(FEW_SESSIONS);
    const many = await bench.homes.sessions(count);
    bench.say(
      `${count} sessions (${many.events} events) were written in ${many.seconds.toFixed(1)} s, the rest of the index in ${many.indexSeconds.toFixed(1)} s`,
    );
    const fewStore = await openStore(few.home);
    const manyStore = await openStore(many.home);
    try {
      return [
        await figureOf(bench, "list", `a page of ${LIST_ROWS} among ${count} sessions`, 20, {
          many: await lists(manyStore),
          few: await lists(fewStore),
        }),
        await figureOf(bench, "search", `full text among ${count} sessions, one to three words`, 100, {
          many: searches(manyStore),
          few: searches(fewStore),
        }),
      ];
    } finally {
      await fewStore.close();
      await manyStore.close();
    }
  },
};

async function figureOf(
  { quick }: Bench,
  name: string,
  what: string,
  atMostMs: number,
  measurements: { readonly many: () => Promise<number>; readonly few: () => Promise<number> },
): Promise<Figure> {
  const samples = await interleave(quick ? 100 : 1000, measurements);
  return {
    name: `${name}.p99`,
    what: `p99 of ${what}`,
    unit: "ms",
    value: percentile(samples.many, 99),
    baseline: { what: `p99 among ${FEW_SESSIONS}`, value: percentile(samples.few, 99) },
    aim: { valueAtMost: atMostMs },
    details: {
      p50: percentile(samples.many, 50),
      slowest: percentile(samples.many, 100),
      times: samples.many.length,
    },
  };
}

/** The first page and random pages, of all sessions and of living ones, equally often. */
async function lists(store: Store): Promise<() => Promise<number>> {
  const random = seededRandom(21);
  const [newest] = await store.rows(SESSIONS, { limit: 1 });
  const places = await samplePlaces(store);
  if (newest === undefined) throw new Error("a list of no sessions");
  let turn = 0;
  return () => {
    turn += 1;
    const after = turn % 2 === 0 ? places[Math.floor(random() * places.length)] : undefined;
    const where = { shown: true, ...(turn % 4 < 2 ? { alive: true } : {}) };
    const query = { limit: LIST_ROWS, where, ...(after === undefined ? {} : { after }) };
    return timedMs(() => store.rows(SESSIONS, query));
  };
}

/** Rows from the newest to the oldest, one page apart. */
async function samplePlaces(store: Store): Promise<readonly RowPlace[]> {
  const places: RowPlace[] = [];
  for (let after: RowPlace | undefined; ; ) {
    const rows = await store.rows(SESSIONS, { limit: 1000, ...(after === undefined ? {} : { after }) });
    const last = rows.at(-1);
    if (last === undefined) return places;
    after = { id: last.id };
    places.push(after);
  }
}

/** Words by their frequency in the text; sometimes only the start of a word. */
function searches(store: Store): () => Promise<number> {
  const maker = createEventMaker(22);
  let turn = 0;
  return () => {
    turn += 1;
    const words = maker.words(1 + (turn % 3));
    const text = turn % 5 === 0 ? words.slice(0, -2) : words;
    return timedMs(() => store.search(text, SEARCH_HITS, Session));
  };
}
