import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { followLog } from "../src/commit/index.ts";
import { systemClock } from "../src/host/index.ts";
import { createTileFiles, keepCheckpoints, openCheckedTree, openLogKey, type Store } from "../src/store/index.ts";
import { createAppendLoad } from "./append-load.ts";
import { type Bench, type Benchmark, type Figure, interleave, median, percentile, timedMs } from "./harness.ts";
import { runChild } from "./processes.ts";
import { openStore } from "./store-home.ts";

const LOG_EVENTS = 1954 * 512 - 1;
const QUICK_LOG_EVENTS = 196 * 512 - 1;
const LOAD_WRITERS = 64;
const LOAD_SECONDS = 12;
const LOOK_EVERY_MS = 20;
const VERIFIER = new URL("../verifier/nomos-verify.js", import.meta.url);

/** The cost of evidence: exporting the whole log, verifying the bundle, and how far signing lags behind. */
export const auditBenchmark: Benchmark = {
  name: "audit",
  run: async (bench) => [...(await exportAndVerify(bench)), await lagOf(bench)],
};

async function exportAndVerify({ homes, scratch, quick, say }: Bench): Promise<readonly Figure[]> {
  const { home, events } = await homes.history(quick ? QUICK_LOG_EVENTS : LOG_EVENTS);
  const bundle = join(scratch, "bundle");
  const copy = join(scratch, "log-copy.db");
  const store = await openStore(home);
  const audit = await openTree(store, home);
  const treeMs = await timedMs(async () => audit.keeper.reach(await store.lastSeq()));
  const exporting = await interleave(quick ? 1 : 3, {
    export: async () => {
      await rm(bundle, { recursive: true, force: true });
      const checkpoint = async () => audit.keeper.reach(await store.lastSeq());
      return timedMs(() => store.exportBundle({ path: bundle, key: audit.key, checkpoint }));
    },
    copy: () => timedMs(() => copyDurably(join(home, "log.db"), copy)),
  });
  await audit.stop();
  await store.close();
  say(`a bundle of ${events} events was written in ${(median(exporting.export) / 1000).toFixed(1)} s`);
  const lines = join(bundle, "events.jsonl");
  const verifying = await interleave(quick ? 1 : 3, {
    verify: () => timedMs(() => runChild(VERIFIER, [bundle])),
    hash: () => timedMs(() => hashOf(lines)),
  });
  return [
    {
      name: "audit.export",
      what: `the whole log as a bundle, ${events} events, while it can be written`,
      unit: "ms",
      value: median(exporting.export),
      baseline: { what: "a copy of the log's file, flushed", value: median(exporting.copy) },
      aim: { ratioAtMost: 10 },
      details: { rounds: exporting.export.length, treeFromNothingMs: Math.round(treeMs) },
    },
    {
      name: "audit.verify",
      what: `nomos-verify of that bundle, ${events} events`,
      unit: "ms",
      value: median(verifying.verify),
      baseline: { what: "one sha256 over the same lines", value: median(verifying.hash) },
      aim: { valueAtMost: 10_000 },
      details: { rounds: verifying.verify.length },
    },
  ];
}

/** Age of the oldest event that no signed checkpoint covers: under load, and at one event per look. */
async function lagOf({ scratch, quick }: Bench): Promise<Figure> {
  const home = join(scratch, "lag");
  const store = await openStore(home);
  const { keeper, stop } = await openTree(store, home);
  const load = createAppendLoad(store);
  const writers = await load.openStreams(LOAD_WRITERS);
  const seconds = quick ? 3 : LOAD_SECONDS;
  const ages = async (write: (untilMs: number) => Promise<void>): Promise<readonly number[]> => {
    const writtenAtMs = new Map<number, number>();
    const stop = store.onAppend((events) => {
      for (const { seq } of events) writtenAtMs.set(seq, performance.now());
    });
    const untilMs = performance.now() + seconds * 1000;
    const writing = write(untilMs);
    const found: number[] = [];
    while (performance.now() < untilMs) {
      await sleep(LOOK_EVERY_MS);
      const oldest = writtenAtMs.get((keeper.latest()?.size ?? 0) + 1);
      found.push(oldest === undefined ? 0 : performance.now() - oldest);
    }
    await writing;
    stop();
    return found;
  };
  const each = async (untilMs: number, pauseMs: number): Promise<void> => {
    await Promise.all(
      writers.slice(0, pauseMs > 0 ? 1 : LOAD_WRITERS).map(async (writer) => {
        while (performance.now() < untilMs) {
          await load.appendOne(writer);
          if (pauseMs > 0) await sleep(pauseMs);
        }
      }),
    );
  };
  const before = await store.lastSeq();
  await keeper.reach(before);
  const loaded = await ages((untilMs) => each(untilMs, 0));
  const rate = ((await store.lastSeq()) - before) / seconds;
  await keeper.reach(await store.lastSeq());
  const trickle = await ages((untilMs) => each(untilMs, LOOK_EVERY_MS));
  await stop();
  await store.close();
  return {
    name: "audit.lag",
    what: `p99 age of the oldest event that no checkpoint covers, ${LOAD_WRITERS} writers as fast as they can`,
    unit: "ms",
    value: percentile(loaded, 99),
    baseline: { what: "p99 at a trickle of events", value: percentile(trickle, 99) },
    aim: { ratioAtMost: 2 },
    details: { eventsPerSecond: Math.round(rate), looks: loaded.length },
  };
}

async function openTree(store: Store, home: string) {
  const key = await openLogKey(join(home, "keys"));
  const { tree } = await openCheckedTree(store, createTileFiles(join(home, "tree")), null);
  const clock = systemClock();
  const keeper = keepCheckpoints({
    tree,
    key,
    path: join(home, "checkpoint"),
    kept: null,
    after: clock.after,
    nowMs: clock.nowMs,
    onSigned: () => undefined,
  });
  const followers = await followLog({
    store,
    fence: 0,
    followers: [keeper.follower],
    clock,
    random: Math.random,
    log: () => undefined,
  });
  const stop = async (): Promise<void> => {
    await followers.close();
    await keeper.stop();
  };
  return { keeper, stop, key: key.verifier.text };
}

async function copyDurably(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await copyFile(from, to);
  await using file = await open(to, "r+");
  await file.sync();
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(chunk);
  return hash.digest("hex");
}
