import { z } from "zod";
import { LIMITS } from "../src/kernel/index.ts";
import { type Bench, type Benchmark, type Figure, interleave, median } from "./harness.ts";
import type { History } from "./homes.ts";
import { runChild } from "./processes.ts";

/** A fold snapshot is stored every so many events. */
const KEPT = LIMITS.snapshotEveryEvents;
/** One event short of the next fold snapshot: the most that ever has to be folded. */
const SIZES = { "1k": 8 * KEPT - 1, "100k": 784 * KEPT - 1, "1m": 7816 * KEPT - 1 } as const;
const QUICK_SIZES = { "1k": 8 * KEPT - 1, "100k": 80 * KEPT - 1, "1m": 784 * KEPT - 1 } as const;
type Size = keyof typeof SIZES;

const Measured = z.object({ ms: z.number(), openMs: z.number() });
type Measured = z.infer<typeof Measured>;

/** The first read of a session, by the length of its history; each sample in a new process. */
export const resumeBenchmark: Benchmark = {
  name: "resume",
  run: async (bench) => {
    const histories = await build(bench);
    return [
      ...(await figuresOf(bench, histories, "resume", "fold", "the fold of a session's head in a fresh process")),
      ...(await figuresOf(bench, histories, "page", "page", "its first 100 events in a fresh process")),
    ];
  },
};

type Histories = { readonly [S in Size]: History };

/** One after another, because the largest alone loads a small machine. */
async function build({ homes, quick, say }: Bench): Promise<Histories> {
  const sizes = quick ? QUICK_SIZES : SIZES;
  const small = await homes.history(sizes["1k"]);
  const middle = await homes.history(sizes["100k"]);
  const large = await homes.history(sizes["1m"]);
  say(`a history of ${large.events} events was written in ${large.seconds.toFixed(1)} s`);
  return { "1k": small, "100k": middle, "1m": large };
}

async function figuresOf(
  { quick }: Bench,
  histories: Histories,
  name: string,
  read: "fold" | "page",
  what: string,
): Promise<readonly Figure[]> {
  const measure = (size: Size) => async (): Promise<Measured> => {
    const { home, sessionId } = histories[size];
    const printed = await runChild(new URL("./children/resume.ts", import.meta.url), [home, sessionId, read]);
    return Measured.parse(JSON.parse(printed));
  };
  const samples = await interleave(quick ? 3 : 9, {
    "1k": measure("1k"),
    "100k": measure("100k"),
    "1m": measure("1m"),
  });
  const typical = (size: Size) => median(samples[size].map(({ ms }) => ms));
  return (["100k", "1m"] as const).map((size) => ({
    name: `${name}.${size}`,
    what: `${what}, ${histories[size].events} events`,
    unit: "ms",
    value: typical(size),
    baseline: { what: `${histories["1k"].events} events`, value: typical("1k") },
    aim: size === "1m" ? { valueAtMost: 100, ratioAtMost: 1.5 } : null,
    details: { openStoreMs: median(samples[size].map(({ openMs }) => openMs)), processes: samples[size].length },
  }));
}
