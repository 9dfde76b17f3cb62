import type { Homes } from "./homes.ts";
import type { Package } from "./package.ts";

/** What a benchmark gets. Everything it writes goes below `scratch`, which is removed after the run. */
export interface Bench {
  /** A tenth of the size and fewer rounds: to test that it works, not to quote. */
  readonly quick: boolean;
  readonly scratch: string;
  readonly homes: Homes;
  /** The product as published: bundled once per run from the present sources. */
  readonly product: () => Promise<Package>;
  readonly say: (line: string) => void;
}

export interface Benchmark {
  readonly name: string;
  readonly run: (bench: Bench) => Promise<readonly Figure[] | Skipped>;
}

/** What could not be measured here, and what is needed for it. */
export interface Skipped {
  readonly skipped: string;
  /** The figures that could. */
  readonly figures?: readonly Figure[];
}

/** A number and its baseline from the same run, in the same unit. */
export interface Figure {
  readonly name: string;
  readonly what: string;
  readonly unit: Unit;
  readonly value: number;
  readonly baseline: { readonly what: string; readonly value: number };
  readonly aim: Aim | null;
  readonly details: { readonly [name: string]: number | string };
}

export type Unit = "events/s" | "requests/s" | "flushes/event" | "ms" | "us" | "MB" | "%" | "files";

export interface Aim {
  readonly valueAtMost?: number | undefined;
  readonly ratioAtMost?: number | undefined;
  readonly ratioAtLeast?: number | undefined;
}

export function ratioOf(figure: Pick<Figure, "value" | "baseline">): number {
  return figure.value / figure.baseline.value;
}

/** Null where there is no aim. */
export function isMet(figure: Pick<Figure, "value" | "baseline" | "aim">): boolean | null {
  const { aim, value } = figure;
  if (aim === null) return null;
  const ratio = ratioOf(figure);
  return (
    value <= (aim.valueAtMost ?? Number.POSITIVE_INFINITY) &&
    ratio <= (aim.ratioAtMost ?? Number.POSITIVE_INFINITY) &&
    ratio >= (aim.ratioAtLeast ?? 0)
  );
}

/**
 * Takes turns: each round runs every measurement once, so that other load on the machine affects all alike. Every
 * second round runs in reverse order, so that none always follows the same neighbour.
 */
export async function interleave<Name extends string, Sample>(
  rounds: number,
  measurements: { readonly [N in Name]: () => Promise<Sample> },
): Promise<{ readonly [N in Name]: Sample[] }> {
  const names = Object.keys(measurements) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as { [N in Name]: Sample[] };
  for (let round = 0; round < rounds; round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed()) samples[name].push(await measurements[name]());
  return samples;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 50);
}

export function percentile(samples: readonly number[], percent: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const rank = Math.ceil((percent / 100) * sorted.length) - 1;
  const found = sorted[Math.max(0, Math.min(rank, sorted.length - 1))];
  if (found === undefined) throw new Error("a percentile of no samples");
  return found;
}

export async function timedMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Seeded (mulberry32), so that two runs measure the same thing. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
