import { type Figure, median, percentile } from "../harness.ts";
import { type Arena, compete, summed, taskRequests, versusPeers } from "./arena.ts";
import type { Running } from "./contender.ts";
import type { ModelRecord } from "./model.ts";
import { promptOf } from "./task.ts";

export const READS = 50;
const ROUNDS = { warmUp: 2, measured: 8 };
const QUICK = { warmUp: 1, measured: 2 };
const STARTS = { warmUp: 0, measured: 3 };
const QUICK_STARTS = { warmUp: 0, measured: 1 };
const MB = 1_048_576;
/** Of a turn's messages, what a provider that caches prefixes has to read anew. */
const UNCACHED_MAX_PERCENT = 5;

/** One turn as the model saw it. */
interface TurnSample {
  /** From the last byte of each answer with a call until the next request. */
  readonly stepMs: readonly number[];
  readonly requests: number;
  /** Of all request bodies, titles included. */
  readonly bytes: number;
  readonly messageBytes: number;
  readonly cachedBytes: number;
}

/** A turn of reads: how long the engine takes between two requests, and what it sends. */
export async function measureSteps(arena: Arena): Promise<readonly Figure[]> {
  const { bench, model, setting, conversation } = arena;
  const turn = async (running: Running): Promise<TurnSample> => {
    const name = conversation();
    await running.begin(promptOf({ conversation: name, reads: READS, folder: setting.cwd }));
    return turnSample(await model.records(name));
  };
  const samples = await compete(arena, bench.quick ? QUICK : ROUNDS, async (contender) => {
    const running = await contender.start();
    return { sample: () => turn(running), [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
  });
  const fresh = await compete(arena, bench.quick ? QUICK_STARTS : STARTS, async (contender) => ({
    sample: async () => {
      await using running = await contender.start();
      return await turn(running);
    },
    [Symbol.asyncDispose]: async () => undefined,
  }));
  const steps = (taken: readonly TurnSample[]) => taken.flatMap(({ stepMs }) => stepMs);
  const nomos = samples.get("nomos") ?? [];
  const ours: Figure["details"] =
    nomos.length === 0 ? {} : { p95: percentile(steps(nomos), 95), steps: steps(nomos).length };
  const shares = [...summed(samples, cachedShare)].map(([name, share]) => [`${name}CachedShare`, share] as const);
  bench.say(`cached share: ${shares.map(([name, share]) => `${name} ${share.toFixed(3)}`).join(", ")}`);
  return [
    ...versusPeers(
      arena,
      {
        name: "engine.step",
        what: "from the last byte of the model's answer with a read call until the next request arrives, in a warm process",
        unit: "ms",
        aim: { ratioAtMost: 0.5 },
        details: ours,
      },
      summed(samples, (taken) => median(steps(taken))),
    ),
    ...versusPeers(
      arena,
      {
        name: "engine.step.fresh",
        what: "the same in the first turn of a new process, whose code is not compiled yet",
        unit: "ms",
        aim: null,
      },
      summed(fresh, (taken) => median(steps(taken))),
    ),
    ...versusPeers(
      arena,
      {
        name: "engine.bytes",
        what: `bytes of all request bodies of a turn with ${READS} reads of 2 KB, in MB`,
        unit: "MB",
        aim: null,
        details: { requests: nomos[0]?.requests ?? 0 },
      },
      summed(samples, (taken) => median(taken.map(({ bytes }) => bytes)) / MB),
    ),
    ...versusPeers(
      arena,
      {
        name: "engine.uncached",
        what: "of those, bytes of messages after the first byte that differs from the request before, in MB; the first request counts whole",
        unit: "MB",
        aim: null,
        details: {},
      },
      summed(samples, (taken) => median(taken.map((turn) => turn.messageBytes - turn.cachedBytes)) / MB),
    ),
    ...versusPeers(
      arena,
      {
        name: "engine.uncached.share",
        what: `the same as a share of all bytes of messages in a turn of ${READS + 1} steps; the rest stays in the provider's cache`,
        unit: "%",
        aim: { valueAtMost: UNCACHED_MAX_PERCENT },
        details: Object.fromEntries(shares),
      },
      summed(samples, (taken) => (1 - cachedShare(taken)) * 100),
    ),
  ];
}

function turnSample(records: readonly ModelRecord[]): TurnSample {
  const requests = taskRequests(records);
  if (requests.length !== READS + 1) throw new Error(`the turn made ${requests.length} requests, not ${READS + 1}`);
  const sum = (of: "bytes" | "messageBytes" | "cachedBytes", taken: readonly ModelRecord[]) =>
    taken.reduce((total, record) => total + record[of], 0);
  return {
    stepMs: requests.slice(1).map(({ atMs }, at) => atMs - (requests[at]?.lastMs ?? 0)),
    requests: records.length,
    bytes: sum("bytes", records),
    messageBytes: sum("messageBytes", requests),
    cachedBytes: sum("cachedBytes", requests),
  };
}

function cachedShare(taken: readonly TurnSample[]): number {
  return median(taken.map(({ cachedBytes, messageBytes }) => cachedBytes / messageBytes));
}
