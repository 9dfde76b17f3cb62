import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Explanation } from "./explained.ts";
import type { Mutant } from "./mutant.ts";

export const RESULTS_FOLDER = "tools/mutation/results";

/** What a run over one target found. */
export interface TargetResult {
  readonly target: string;
  readonly date: string;
  readonly minutes: number;
  /** How many of the mutants were tried: all of them unless a sample was asked for. */
  readonly made: number;
  readonly tried: number;
  readonly killedByTests: number;
  readonly killedByDaemons: number;
  readonly killedByTypes: number;
  readonly explained: number;
  readonly survivors: readonly Survivor[];
}

export type Survivor = Pick<Mutant, "file" | "line" | "fn" | "kind" | "from" | "to">;

export function writeResult(root: string, result: TargetResult): void {
  mkdirSync(join(root, RESULTS_FOLDER), { recursive: true });
  const path = join(root, RESULTS_FOLDER, `${result.target}.json`);
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
}

export function describeMutant({ file, line, fn, kind, from, to }: Survivor): string {
  return `${file}:${line} ${fn}\n    ${kind}: ${short(from)}${to === "" ? "" : `  ->  ${short(to)}`}`;
}

export function describeStale({ file, fn, kind, from = "" }: Explanation): string {
  return `${file} ${fn} ${kind}: ${short(from)}`;
}

function short(text: string): string {
  return text.length > 140 ? `${text.slice(0, 137)}...` : text;
}
