import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant, MutantKind } from "./mutant.ts";

/** Survivors that no test should have to kill, and why. Nothing in it moves when lines are added above. */
export interface Explanation {
  readonly file: string;
  readonly fn: string;
  readonly kind: MutantKind;
  /** The code that is changed; absent: every change of this kind in the function. */
  readonly from?: string;
  readonly why: string;
}

const EXPLAINED_FILE = "tools/mutation/explained.json";

export function readExplained(root: string): readonly Explanation[] {
  return JSON.parse(readFileSync(join(root, EXPLAINED_FILE), "utf8"));
}

export function isExplained(mutant: Mutant, explained: readonly Explanation[]): boolean {
  return explained.some((one) => explains(one, mutant));
}

/** Explanations of these files for mutants that are no longer made. */
export function staleExplanations(
  explained: readonly Explanation[],
  files: readonly string[],
  made: readonly Mutant[],
): readonly Explanation[] {
  return explained.filter((one) => files.includes(one.file) && !made.some((mutant) => explains(one, mutant)));
}

function explains({ file, fn, kind, from }: Explanation, mutant: Mutant): boolean {
  const isThere = mutant.file === file && mutant.fn === fn && mutant.kind === kind;
  return isThere && (from === undefined || mutant.from === from);
}
