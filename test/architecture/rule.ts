import type { SourceTree } from "./source-tree.ts";

/** One check of the whole tree. No finding: the tree keeps the rule. */
export type Rule = (tree: SourceTree) => readonly Finding[];

export interface Finding {
  /** Relative to the root of the repository. */
  readonly file: string;
  /** From 1; null for the whole file or folder. */
  readonly line: number | null;
  readonly message: string;
}
