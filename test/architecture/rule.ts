import type { SourceTree } from "./source-tree.ts";

/** One question put to the whole tree. No finding: the tree keeps the rule. */
export type Rule = (tree: SourceTree) => readonly Finding[];

export interface Finding {
  /** Relative to the root of the repository. */
  readonly file: string;
  /** From 1; null where the whole file or folder is meant. */
  readonly line: number | null;
  readonly message: string;
}
