import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of snapshots, rewinds and forks. */
export const SNAPSHOT_ERRORS = {
  files_of_others: entry(
    409,
    5,
    "The session and somebody else both changed files that this rewind would restore.",
    "Check the files in the details. `force` restores them anyway and keeps their present contents in a snapshot.",
  ),
  files_not_kept: entry(
    409,
    5,
    "There is no snapshot of the session's files at this point.",
    "Use `talkOnly` to leave the files as they are; the details say why there is no snapshot.",
  ),
  restore_failed: entry(
    500,
    1,
    "The files could not be restored; they are as they were before.",
    "Remove the cause that the details name, then try again.",
  ),
  restore_unavailable: entry(
    501,
    6,
    "Restoring files needs bubblewrap, which is not installed.",
    "Run `apt-get install bubblewrap`, then `nomos restart`; or use `talkOnly` to leave the files as they are.",
  ),
  scope_unjudged: entry(
    409,
    5,
    "A new file cannot be read or is nested too deep, so the session's scope cannot be checked.",
    "Remove the files in the details or make them readable. The next turn is checked from the same snapshot.",
  ),
  snapshot_damaged: entry(
    500,
    1,
    "A snapshot is damaged.",
    "Check the disk: it may be failing. The next snapshot stores the lost files again.",
  ),
  snapshot_missing: entry(410, 4, "This snapshot no longer exists.", "Choose a later point of the session."),
  snapshots_closed: entry(503, 6, "The daemon is stopping.", "Start it with `nomos up`, then try again."),
  tree_missing: entry(
    409,
    5,
    "The session's directory does not exist.",
    "Put it back, or fork the session with `nomos fork`.",
  ),
  tree_moved: entry(
    409,
    5,
    "The session's directory was replaced by another one.",
    "Put the old directory back, or fork the session with `nomos fork`.",
  ),
  tree_too_broad: entry(
    409,
    5,
    "The session works in a whole home directory or file system, so Nomos takes no snapshots of it.",
    "Start the session in a smaller directory, such as one project.",
  ),
  tree_too_large: entry(
    409,
    5,
    "The session's directory, or the commit for its worktree, has more files, bytes or levels than the limits allow.",
    "The details say which limit it was: raise it with `nomos config set`, or leave something out with `snapshotLeaveOut`.",
  ),
  tree_unreadable: entry(409, 5, "The session's directory cannot be read.", "Give the daemon's user access to it."),
} as const satisfies { readonly [code: string]: ErrorEntry };
