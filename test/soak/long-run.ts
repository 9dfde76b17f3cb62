import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { z } from "zod";

/** The runs that take too long for every change, in the order of the page. */
export const LONG_RUNS = {
  sim: {
    what: "simulated daemons, disks and crashes",
    command: "npm run sim -- --seeds 100000 --record",
  },
  storm: {
    what: "a loaded daemon is ended and started again",
    command: "npm run soak -- storm --rounds 1000 --record",
  },
  faults: {
    what: "every write and flush of the log fails, one after another",
    command: "npm run soak -- faults --record",
  },
  steady: {
    what: "one daemon under steady load",
    command: "npm run soak -- steady --minutes 60 --record",
  },
  canaries: {
    what: "a million events with secrets among them, then every byte is searched",
    command: "npm run soak -- canaries --rounds 1000000 --record",
  },
  whole: {
    what: "everything that a normal test run samples",
    command: "npm run soak -- whole --record",
  },
} as const;
export type LongRunName = keyof typeof LONG_RUNS;

const Trend = z.object({
  unit: z.string(),
  /** On the line fitted to all samples after the warm-up. */
  begin: z.number(),
  end: z.number(),
  isFlat: z.boolean(),
  /** Evenly spread over the run, the warm-up included. */
  samples: z.array(z.number()),
});
export type Trend = z.infer<typeof Trend>;

const LongRun = z.object({
  date: z.string(),
  node: z.string(),
  cores: z.number(),
  seconds: z.number(),
  counts: z.record(z.string(), z.number()),
  failures: z.array(z.string()),
  trends: z.record(z.string(), Trend),
});
export type LongRun = z.infer<typeof LongRun>;

export interface Findings {
  readonly counts: { readonly [what: string]: number };
  readonly failures: readonly string[];
  readonly trends?: { readonly [what: string]: Trend };
}

const RESULTS = join(import.meta.dirname, "results");

/** Runs it, prints its summary and returns the exit code. Only `record` replaces the result that the page shows. */
export async function longRun(name: LongRunName, record: boolean, run: () => Promise<Findings>): Promise<number> {
  const startMs = performance.now();
  const { counts, failures, trends = {} } = await run();
  const result: LongRun = {
    date: new Date().toISOString(),
    node: process.version,
    cores: availableParallelism(),
    seconds: Math.round((performance.now() - startMs) / 1000),
    counts,
    failures: [...failures],
    trends,
  };
  console.log(summaryOf(name, result));
  if (record) writeLongRun(name, result);
  return failures.length === 0 ? 0 : 1;
}

/** The last recorded run; null for one that was never recorded. */
export function readLongRun(name: LongRunName): LongRun | null {
  const file = join(RESULTS, `${name}.json`);
  return existsSync(file) ? LongRun.parse(JSON.parse(readFileSync(file, "utf8"))) : null;
}

function writeLongRun(name: LongRunName, result: LongRun): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

function summaryOf(name: LongRunName, { seconds, counts, failures, trends }: LongRun): string {
  return [
    `${name}: ${LONG_RUNS[name].what}, ${seconds} s`,
    ...Object.entries(counts).map(([what, count]) => `  ${what}: ${count}`),
    ...Object.entries(trends).map(
      ([what, { unit, begin, end, isFlat }]) =>
        `  ${what}: ${begin} -> ${end} ${unit}, ${isFlat ? "flat" : "NOT FLAT"}`,
    ),
    ...(failures.length === 0 ? ["  no failure"] : failures.map((failure) => `  FAILED ${failure}`)),
  ].join("\n");
}
