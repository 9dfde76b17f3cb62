import { type ErrorEntry, entry } from "./entry.ts";

/** The files of sessions: snapshots, rewind, fork. */
export const SNAPSHOT_ERRORS = {
  files_of_others: entry(
    409,
    5,
    "Both the session and somebody else changed files that would go back.",
    "Look at the files in the details; `force` goes back all the same, and keeps what is there now in a snapshot.",
  ),
  files_not_kept: entry(
    409,
    5,
    "The session's files were not kept at this point.",
    "The details say why; `talkOnly` leaves the files as they are.",
  ),
  restore_failed: entry(
    500,
    1,
    "The files could not be restored; they are what they were before.",
    "The details say what stood in the way; remove it and ask again.",
  ),
  restore_unavailable: entry(
    501,
    6,
    "Files are restored only behind a wall, and there is no bubblewrap here.",
    "Run `apt-get install bubblewrap` and restart the daemon, or leave the files as they are with `talkOnly`.",
  ),
  scope_unjudged: entry(
    409,
    5,
    "Something that is new in the session's tree cannot be looked at: it lies too deep, or may not be read.",
    "Remove what the details name, or make it readable; the next turn is judged from the same beginning on.",
  ),
  snapshot_damaged: entry(
    500,
    1,
    "A snapshot is not what was written.",
    "The disk may be failing: check it. Later snapshots keep anew what is lost.",
  ),
  snapshot_missing: entry(410, 4, "This snapshot is not there any more.", "Choose a later point of the session."),
  snapshots_closed: entry(503, 6, "The daemon is stopping.", "Ask again when it is up."),
  tree_missing: entry(409, 5, "The session's directory is not there.", "Put it back, or fork the session."),
  tree_moved: entry(
    409,
    5,
    "Something else lies where the session's directory was.",
    "Put the directory back where it was, or fork the session.",
  ),
  tree_too_broad: entry(
    409,
    5,
    "The session's directory is a whole home or system: its files are not kept.",
    "Start sessions in a directory of their own.",
  ),
  tree_too_large: entry(
    409,
    5,
    "The session's directory, or the commit for its worktree, has more files, bytes or levels than the limits allow.",
    "The details say which limit it was: raise it with `nomos config set`, or leave something out with `snapshotLeaveOut`.",
  ),
  tree_unreadable: entry(409, 5, "The session's directory cannot be read.", "Give the daemon's user access to it."),
} as const satisfies { readonly [code: string]: ErrorEntry };
