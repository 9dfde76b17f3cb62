import { event } from "../../kernel/index.ts";

/** A session whose data left the log: how much that was, and the archive's file, unless there was to be none. */
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
  /** Named by events but not there. */
  readonly missingBlobs: number;
  readonly bytes: number;
}

export interface Restored {
  readonly from: string;
  readonly madeAt: string;
  readonly size: number;
  readonly root: string;
  readonly fence: number;
  /** A checkpoint that was signed after the backup was made, where one was found: so much is known to be lost. */
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
  /** Of all of them together. */
  readonly events: number;
  readonly bytes: number;
  /** Those that lost their last name with them, and those that no event named anyway. */
  readonly blobs: number;
  readonly blobBytes: number;
  /** There are more that are old enough; they are left to the next time. */
  readonly more: boolean;
}

/** What was done with the whole log. */
export const LOG_EVENTS = {
  /** The whole log was written out, up to this many events. Who may read all of it is worth knowing. */
  "log.exported@1": event<{ readonly path: string; readonly size: number }>(),
  /** A copy of everything was made, of the log as it was at this size. */
  "log.backed_up@1": event<BackedUp>(),
  /** From here on the log goes on from a backup of this size: whatever came behind it elsewhere is not in this log. */
  "log.restored@1": event<Restored>(),
  /** A restore asked the anchors whether they remember more, or other events, than the backup holds. */
  "log.compared@1": event<Compared>(),
  /** What nobody needs any more was taken out: the data of sessions that ended long ago, and blobs that no event names. */
  "log.collected@1": event<Collected>(),
};
