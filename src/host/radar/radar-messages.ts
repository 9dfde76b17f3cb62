import type { ClearedBecause, CollidedFile, MovedBranch } from "../../domains/index.ts";

/** How much the radar may use. */
export interface RadarLimits {
  /** The work of one tree is merged at most this often. */
  readonly lookEveryMs: number;
  /** Folders that are watched for changes, of all trees together. */
  readonly foldersMax: number;
  /** A larger file is not compared by its contents. */
  readonly fileBytesMax: number;
}

export interface RadarSettings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of all worktrees. */
  readonly worktrees: string;
  /** For temporary files; emptied by its owner. */
  readonly scratch: string;
}

/** To the thread. */
export type RadarOrder =
  /**
   * The trees to compare from now on, by the id of their worktree. `open`: pairs and trees that are recorded as colliding,
   * so that their end is reported too; others that collide are reported again.
   */
  | {
      readonly do: "watch";
      readonly trees: readonly string[];
      readonly open: readonly (readonly string[])[];
      readonly limits: RadarLimits;
    }
  /** Something may have changed in the tree. */
  | { readonly do: "nudge"; readonly tree: string }
  | { readonly do: "close" };

/** What two trees, or a tree and its branch, collide in. No files: they merge. */
export interface PairReport {
  readonly what: "pair";
  /** Lines are those of `a` and of `b`. */
  readonly a: string;
  readonly b: string;
  readonly repository: string | null;
  readonly files: readonly CollidedFile[];
  readonly more: number;
  readonly because: Extract<ClearedBecause, "resolved" | "landed">;
}

export interface BaseReport {
  readonly what: "base";
  readonly tree: string;
  readonly repository: string | null;
  /** Null: the branch is where it was, or holds all of the tree's work. */
  readonly branch: MovedBranch | null;
  readonly files: readonly CollidedFile[];
  readonly more: number;
  readonly because: Extract<ClearedBecause, "resolved" | "landed">;
}

/** From the thread. */
export type RadarReport =
  | PairReport
  | BaseReport
  | { readonly what: "trouble"; readonly tree: string | null; readonly reason: string }
  | { readonly what: "closed" };
