import { event } from "../../kernel/index.ts";

/** A session whose data left the log: its size, and the archive file unless it was discarded. */
export interface CollectedSession {
  readonly id: string;
  readonly name: string;
  readonly endedAt: string;
  readonly events: number;
  readonly bytes: number;
  readonly archive: string | null;
}

export interface BackedUp {
  readonly path: string;
  readonly size: number;
  readonly root: string;
  readonly blobs: number;
  /** Blobs that events name but that are missing. */
  readonly missingBlobs: number;
  readonly bytes: number;
}

export interface Restored {
  readonly from: string;
  readonly madeAt: string;
  readonly size: number;
  readonly root: string;
  readonly fence: number;
  /** A checkpoint signed after the backup was made, if one was found: it shows how much is lost. */
  readonly newer: { readonly size: number; readonly root: string } | null;
}

/** What one anchor answered when a log was compared with what the anchor remembers. */
export interface AnchorAnswer {
  readonly kind: "git" | "witness";
  readonly where: string;
  /** `newer`: it remembers more events than the log has. `contradicts`: it remembers other events. */
  readonly verdict: "agrees" | "newer" | "contradicts" | "knows nothing" | "unreachable";
  /** The newest checkpoint that it remembers. A witness tells no root. */
  readonly size: number | null;
  readonly root: string | null;
  readonly problem: string | null;
}

export interface Compared {
  /** Of the log that was compared. */
  readonly size: number;
  readonly root: string;
  readonly answers: readonly AnchorAnswer[];
  /** A person went on although an anchor contradicts. */
  readonly forced: boolean;
}

export interface Collected {
  readonly maxAgeDays: number;
  readonly sessions: readonly CollectedSession[];
  /** Total of all sessions. */
  readonly events: number;
  readonly bytes: number;
  /** Blobs whose last event lost its data, and blobs that no event named. */
  readonly blobs: number;
  readonly blobBytes: number;
  /** True: more sessions are old enough; the next collection takes them. */
  readonly more: boolean;
}

/** A session's work that was brought into the files of the repository that its worktree was made from. */
export interface WorktreeApplied {
  readonly worktreeId: string;
  readonly sessionId: string;
  readonly repository: string;
  /** The first of them; `more` counts the rest. */
  readonly files: readonly { readonly path: string; readonly change: "added" | "changed" | "deleted" }[];
  readonly more: number;
}

/** Operations on the whole log, and on files outside of any session. */
export const LOG_EVENTS = {
  /** Files outside of the home were changed, so it is recorded who did it and which. */
  "worktree.applied@1": event<WorktreeApplied>(),
  /** The whole log was exported, up to this many events. Recorded because it shows who could read everything. */
  "log.exported@1": event<{ readonly path: string; readonly size: number }>(),
  /** A backup was made of the log at this size. */
  "log.backed_up@1": event<BackedUp>(),
  /** The log continues from a backup of this size: later events of the original are not in it. */
  "log.restored@1": event<Restored>(),
  /** A restore asked the anchors whether they remember more, or other events, than the backup holds. */
  "log.compared@1": event<Compared>(),
  /** What nobody needs any more was taken out: the data of sessions that ended long ago, and blobs that no event names. */
  "log.collected@1": event<Collected>(),
};
