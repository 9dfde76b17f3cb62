import { type ErrorEntry, entry } from "./entry.ts";

/** Keeping the log for long: backups, restoring them, archives. */
export const BACKUP_ERRORS = {
  archive_invalid: entry(
    500,
    1,
    "The archive is not what the log says it must be.",
    "The details name the place. Put the file back from a copy; the log itself is not touched by it.",
  ),
  archive_not_found: entry(
    404,
    4,
    "This session has no archive here.",
    "`nomos session show <session>` says whether it was archived; the files lie in `archive` of $NOMOS_HOME.",
  ),
  backup_exists: entry(
    409,
    5,
    "Something is there already.",
    "Name a path where nothing is: a backup never overwrites.",
  ),
  backup_invalid: entry(
    409,
    1,
    "This is no backup, or not as it was made.",
    "The details say what is wrong. Take another backup; nothing was restored.",
  ),
  restore_contradicted: entry(
    409,
    5,
    "An anchor remembers other events than this backup holds: it is of another log, or somebody changed it. Nothing was restored.",
    "Restore another backup. If you know why they differ, accept it with `nomos restore BACKUP --despite-anchors`; the log will say so.",
  ),
  backup_newer: entry(
    409,
    6,
    "The backup was made by a newer version.",
    "Install that version, or a later one, and restore with it.",
  ),
  backup_refused: entry(
    400,
    2,
    "A backup cannot be written there.",
    "Name an absolute path in a directory that exists, outside of $NOMOS_HOME or in its `backups`.",
  ),
  home_is_backup: entry(
    409,
    5,
    "This is a backup, not a home.",
    "Restore it into a home of its own: `nomos restore <backup>` with $NOMOS_HOME set to a new directory.",
  ),
  home_not_empty: entry(
    409,
    5,
    "There is a log already; a restore never overwrites one.",
    "Set $NOMOS_HOME (and $NOMOS_STORE) to where no log is, or move the old one away.",
  ),
  restore_unfinished: entry(
    409,
    5,
    "A restore was cut short here.",
    "Run `nomos restore <backup>` again; or remove `restoring.tmp` in $NOMOS_HOME to start without one.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
