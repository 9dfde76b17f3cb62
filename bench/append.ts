import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createCommitter, UNBOUNDED } from "../src/commit/index.ts";
import { systemClock } from "../src/host/index.ts";
import { idIn, Session } from "../src/kernel/index.ts";
import type { Store } from "../src/store/index.ts";
import { newRedactor } from "../test/support/redactor.ts";
import { createAppendLoad } from "./append-load.ts";
import { openBareLog } from "./bare-log.ts";
import { type Bench, type Benchmark, type Figure, interleave, median } from "./harness.ts";
import { runChild } from "./processes.ts";
import { redactedAppends } from "./redacted-appends.ts";
import { createEventMaker } from "./session-facts.ts";
import { openStore } from "./store-home.ts";

const WRITERS = [1, 16, 64] as const;
const AIMS: { readonly [writers: number]: Figure["aim"] } = { 1: { ratioAtLeast: 0.5 }, 64: { ratioAtLeast: 0.55 } };
const ROUND_FLUSHES = 400;
const FLUSH_RUN_EVENTS = 2000;
const SHARED_CHANGES = 16;

/** Durable, hash-chained appends with read models, against bare inserts of the same bytes. */
export const appendBenchmark: Benchmark = {
  name: "append",
  run: async (bench) => {
    const figures: Figure[] = [];
    for (const writers of WRITERS) {
      figures.push(await rateAt(bench, writers));
      const flushes = await flushesAt(bench, writers);
      if (flushes !== null) figures.push(flushes);
      else bench.say("flushes are not counted: there is no strace");
    }
    figures.push(await sharedAppends(bench), await redactedAppends(bench));
    return figures;
  },
};

async function rateAt({ scratch, quick }: Bench, writers: number): Promise<Figure> {
  const home = join(scratch, `append-${writers}`);
  const bareFolder = join(scratch, `append-bare-${writers}`);
  mkdirSync(bareFolder);
  const store = await openStore(home);
  const bare = openBareLog(bareFolder);
  try {
    const load = createAppendLoad(store);
    const streams = await load.openStreams(writers);
    const events = writers * (quick ? ROUND_FLUSHES / 4 : ROUND_FLUSHES);
    const samples = await interleave(quick ? 3 : 7, {
      store: () => load.appendMany(streams, events),
      bare: async () => bare.write(events, writers),
    });
    return {
      name: `append.${writers}`,
      what: `durable hash-chained appends with read models, ${writers} writer${writers === 1 ? "" : "s"}`,
      unit: "events/s",
      value: median(samples.store),
      baseline: { what: `bare inserts, ${writers} a flush`, value: median(samples.bare) },
      aim: AIMS[writers] ?? null,
      details: { eventsPerRound: events, rounds: samples.store.length },
    };
  } finally {
    bare.close();
    await store.close();
  }
}

/** Effects of one turn that end together: changes of one session that share their appends. */
async function sharedAppends({ scratch, quick }: Bench): Promise<Figure> {
  const store = await openStore(join(scratch, "append-shared"));
  let [changes, appends, shared] = [0, 0, 0];
  const append: Store["append"] = (...given) => {
    appends += 1;
    return store.append(...given);
  };
  const maker = createEventMaker(3);
  const clock = systemClock();
  const counted = { ...store, append };
  const committer = createCommitter({
    store: counted,
    clock,
    newId: maker.newId,
    fence: 0,
    bounds: UNBOUNDED,
    redactor: newRedactor(),
  });
  try {
    const [writer] = await createAppendLoad(store).openStreams(1);
    const id = idIn(Session, writer?.stream ?? "") ?? "";
    const change = () => committer.change(Session, id, () => [maker.custom().fact], { actor: "bench" });
    const many = SHARED_CHANGES * (quick ? 10 : 100);
    const rate = async (atOnce: number): Promise<number> => {
      const startMs = performance.now();
      for (let done = 0; done < many; done += atOnce) await Promise.all(Array.from({ length: atOnce }, change));
      return (many / (performance.now() - startMs)) * 1000;
    };
    const samples = await interleave(quick ? 3 : 7, {
      shared: async () => {
        const before = appends;
        const measured = await rate(SHARED_CHANGES);
        changes += many;
        shared += appends - before;
        return measured;
      },
      alone: () => rate(1),
    });
    return {
      name: "append.shared",
      what: `changes of one session, ${SHARED_CHANGES} at once`,
      unit: "events/s",
      value: median(samples.shared),
      baseline: { what: "the same, one after another", value: median(samples.alone) },
      aim: null,
      details: { appendsPerChange: shared / changes },
    };
  } finally {
    await store.close();
  }
}

/** Flushes are counted by strace in a short separate run, because counting slows the program down. */
async function flushesAt(bench: Bench, writers: number): Promise<Figure | null> {
  if (spawnSync("strace", ["-V"]).status !== 0) return null;
  const opening = await countFlushes(bench, writers, 0);
  const working = await countFlushes(bench, writers, FLUSH_RUN_EVENTS);
  const perEvent = (counted: number) => counted / FLUSH_RUN_EVENTS;
  return {
    name: `append.${writers}.flushes`,
    what: `flushes of the log for one event, ${writers} writer${writers === 1 ? "" : "s"}`,
    unit: "flushes/event",
    value: perEvent(working.log - opening.log),
    baseline: { what: "one for each full batch", value: 1 / writers },
    aim: null,
    details: { events: FLUSH_RUN_EVENTS, searchIndexFlushesPerEvent: perEvent(working.search - opening.search) },
  };
}

async function countFlushes(
  { scratch }: Bench,
  writers: number,
  events: number,
): Promise<{ readonly log: number; readonly search: number }> {
  const trace = join(scratch, `flushes-${writers}-${events}`);
  const home = `${trace}-home`;
  await runChild(new URL("./children/append-load.ts", import.meta.url), [home, String(writers), String(events)], {
    under: ["strace", "-f", "-y", "-e", "trace=fdatasync,fsync", "-o", trace],
  });
  const calls = readFileSync(trace, "utf8")
    .split("\n")
    .filter((line) => /\b(fdatasync|fsync)\(/.test(line));
  return {
    log: calls.filter((line) => line.includes("log.db")).length,
    search: calls.filter((line) => line.includes("search.db")).length,
  };
}
