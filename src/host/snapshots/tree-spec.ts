import type { ByteName } from "./walk/byte-path.ts";

/** A file tree, and which parts of it a snapshot includes. */
export interface TreeSpec {
  /** Absolute, without links. */
  readonly root: string;
  /** Names or relative paths to leave out; `*` matches any part of a name. */
  readonly leaveOut: readonly string[];
  /** Absolute paths that are never read. */
  readonly hidden: readonly string[];
  readonly filesMax: number;
  readonly bytesMax: number;
  /**
   * A process with a file mapped into memory can write it repeatedly without a new change time. So the next walk reads
   * every file that changed after this time. Absent: no process has a mapping, and the time is now.
   */
  readonly quietSinceMs?: number;
}

export interface Restored {
  readonly to: string;
  readonly changed: number;
  /** Names that were made or changed, and removed; the first few of each. */
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  /** Sockets and devices, and directories that stay because of their contents. */
  readonly notRestored: readonly string[];
  /** Changed by somebody else since `base`, and therefore left alone. */
  readonly leftAlone: readonly string[];
  readonly tookMs: number;
}

/** Which names a restore may change; absent: every name. */
export interface RestoreLimits {
  /** Names as `changes` returns them. */
  readonly only?: readonly ByteName[];
  /** Never changed. */
  readonly keep?: readonly ByteName[];
  /** A snapshot: a name is changed only while it still matches it, so that a concurrent writer loses nothing. */
  readonly base?: string;
  /** For a new tree that nobody else knows: another tree, which probably has the same large files. */
  readonly from?: string;
}

/** How far a call is, in bytes of files. Of a walk of an unknown tree the total is not known. */
export type OnBytes = (done: number, of: number | null) => void;
