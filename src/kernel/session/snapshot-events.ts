import { event } from "../definitions/event.ts";

/**
 * When a snapshot was taken: at a turn's boundary, because somebody asked, before a rewind so that it can be undone, or
 * after files were restored, where others' changes were left as they are.
 */
export type SnapshotOccasion = "turn_start" | "turn_end" | "asked" | "rewind" | "restored";

/** The files of a session's directory were kept. `snapshot` is their id: the same files have the same id. */
export interface SnapshotTaken {
  readonly turnId: string | null;
  readonly occasion: SnapshotOccasion;
  readonly snapshot: string;
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  /** What it took on disk beside what was kept before. */
  readonly storedBytes: number;
  /** Names that differ from the snapshot before; null when there was none. Counted up to a limit. */
  readonly changed: number | null;
  /** In the directory but not in the snapshot: how many, and the first of them. */
  readonly leftOut: {
    readonly count: number;
    readonly first: readonly { readonly path: string; readonly why: string }[];
  };
  /** Fifos, sockets and devices: known by their kind only. */
  readonly special: readonly string[];
  /** Changed while they were read, every time. */
  readonly unsettled: readonly string[];
  readonly tookMs: number;
  /**
   * At a turn's end: names that changed during the turn while nothing of the session ran, so that somebody else changed
   * them. `more`: there were others that are not listed.
   */
  readonly others?: { readonly names: readonly string[]; readonly more: boolean };
}

/** The first of each; `more` counts the rest. */
export interface RestoredFiles {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  /** Changed by others, and so left as they are. */
  readonly kept: readonly string[];
  readonly more: number;
}

export const WORLD_EVENTS = {
  "snapshot.taken@1": event<SnapshotTaken>(),
  /** The files are not kept, from here on until a snapshot is taken; said once for each reason. */
  "snapshot.skipped@1": event<{ readonly turnId: string | null; readonly code: string; readonly reason: string }>(),
  /** Files are about to be changed to what they were. Until it is settled, the directory may hold something between. */
  "restore.begun@1": event<{ readonly from: string; readonly to: string }>({ spaceNeed: "start" }),
  /** `restored`: the directory is what `to` says. `rolled_back`: it is what `from` says. */
  "restore.settled@1": event<{
    readonly outcome: "restored" | "rolled_back";
    readonly from: string;
    readonly to: string;
    readonly changed: number;
    /** What cannot be made again, or was in the way of what a rule leaves out. */
    readonly notRestored: readonly string[];
    readonly reason: string | null;
    /** What was done to which names. Absent in logs of earlier versions: every name was restored. */
    readonly files?: RestoredFiles;
  }>(),
};
