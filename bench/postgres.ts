import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../src/kernel/index.ts";
import { openStore, type Store } from "../src/store/index.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { createAppendLoad } from "./append-load.ts";
import { openBarePostgres } from "./bare-postgres.ts";
import { type Bench, type Benchmark, type Figure, interleave, median, timedMs } from "./harness.ts";

const WRITERS = [1, 64] as const;
const ROUND_FLUSHES = 100;
const FOLDED_EVENTS = 16 * LIMITS.snapshotEveryEvents;
const FOLDS = 200;

/** The same store port on its own PostgreSQL, against bare inserts into the same server. */
export const postgresBenchmark: Benchmark = {
  name: "postgres",
  run: async (bench) => {
    await using server = await startPostgres();
    const home = join(bench.scratch, "postgres");
    mkdirSync(home);
    const store = await openStore({ home, address: server.url, leaseMs: 30_000, waitMs: 30_000 }, (error) => {
      throw error;
    });
    const bare = await openBarePostgres(server.url);
    try {
      const figures: Figure[] = [];
      for (const writers of WRITERS) figures.push(await appendsBy(bench, store, bare.write, writers));
      return [...figures, await foldInThePast(bench, store)];
    } finally {
      await bare.close();
      await store.close();
    }
  },
};

async function appendsBy(
  { quick }: Bench,
  store: Store,
  writeBare: (events: number, perCommit: number) => Promise<number>,
  writers: number,
): Promise<Figure> {
  const load = createAppendLoad(store);
  const streams = await load.openStreams(writers);
  const events = writers * (quick ? ROUND_FLUSHES / 4 : ROUND_FLUSHES);
  const samples = await interleave(quick ? 3 : 7, {
    store: () => load.appendMany(streams, events),
    bare: () => writeBare(events, writers),
  });
  return {
    name: `postgres.append.${writers}`,
    what: `durable hash-chained appends with read models on PostgreSQL, ${writers} writer${writers === 1 ? "" : "s"}`,
    unit: "events/s",
    value: median(samples.store),
    baseline: { what: `bare inserts, ${writers} a statement`, value: median(samples.bare) },
    aim: writers === 64 ? { ratioAtLeast: 0.3 } : null,
    details: { eventsPerRound: events, rounds: samples.store.length },
  };
}

/** Right before a fold snapshot and right at one: the cost of the events in between. */
async function foldInThePast({ quick }: Bench, store: Store): Promise<Figure> {
  const load = createAppendLoad(store);
  const [writer] = await load.openStreams(1);
  if (writer === undefined) throw new Error("no stream was opened");
  while (writer.version < FOLDED_EVENTS) await load.appendOne(writer);
  const kept = FOLDED_EVENTS / 2;
  const fold = (version: number) => () => timedMs(() => store.foldStream(writer.stream, version));
  const measurements = { far: fold(kept + LIMITS.snapshotEveryEvents - 1), near: fold(kept) };
  await interleave(5, measurements);
  const samples = await interleave(quick ? FOLDS / 10 : FOLDS, measurements);
  return {
    name: "postgres.fold.middle",
    what: `the fold as of an event in the past on PostgreSQL, ${LIMITS.snapshotEveryEvents - 1} events behind a kept one`,
    unit: "ms",
    value: median(samples.far),
    baseline: { what: "as of the kept fold itself", value: median(samples.near) },
    aim: { valueAtMost: 5 },
    details: { folds: samples.far.length },
  };
}
