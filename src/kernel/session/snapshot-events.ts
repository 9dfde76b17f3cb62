import { event } from "../definitions/event.ts";

/**
 * When a snapshot was taken: at a turn's boundary, on request, before a rewind so that it can be undone, or after a
 * restore that left others' changes in place.
 */
export type SnapshotOccasion = "turn_start" | "turn_end" | "asked" | "rewind" | "restored";

/** A snapshot of the session's directory. `snapshot` is its id: the same files have the same id. */
export interface SnapshotTaken {
  readonly turnId: string | null;
  readonly occasion: SnapshotOccasion;
  readonly snapshot: string;
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  /** Bytes it added on disk. */
  readonly storedBytes: number;
  /** Number of names that differ from the snapshot before, up to a limit; null when there was none. */
  readonly changed: number | null;
  /** Left out of the snapshot: how many, and the first few. */
  readonly leftOut: {
    readonly count: number;
    readonly first: readonly { readonly path: string; readonly why: string }[];
  };
  /** Fifos, sockets and devices: only their kind is stored. */
  readonly special: readonly string[];
  /** Unsettled: changed every time they were read. */
  readonly unsettled: readonly string[];
  readonly tookMs: number;
  /** At a turn's end: names that others changed while nothing of the session ran. `more`: further ones are not listed. */
  readonly others?: { readonly names: readonly string[]; readonly more: boolean };
}

/** The first of each; `more` counts the rest. */
export interface RestoredFiles {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  /** Changed by others, and left as they are. */
  readonly kept: readonly string[];
  readonly more: number;
}

export const WORLD_EVENTS = {
  "snapshot.taken@1": event<SnapshotTaken>(),
  /** No snapshots are taken from here on, until the next one; recorded once per reason. */
  "snapshot.skipped@1": event<{ readonly turnId: string | null; readonly code: string; readonly reason: string }>(),
  /** A restore begins. Until it is settled the directory may be between two states. */
  "restore.begun@1": event<{ readonly from: string; readonly to: string }>({ spaceNeed: "start" }),
  /** `restored`: the directory equals `to`. `rolled_back`: it equals `from`. */
  "restore.settled@1": event<{
    readonly outcome: "restored" | "rolled_back";
    readonly from: string;
    readonly to: string;
    readonly changed: number;
    /** Paths that could not be made again, or that were in the way of left-out files. */
    readonly notRestored: readonly string[];
    readonly reason: string | null;
    /** What was done to each name. Absent in logs of earlier versions: every name was restored. */
    readonly files?: RestoredFiles;
  }>(),
};
