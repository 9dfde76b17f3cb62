import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of backups, restores and archives. */
export const BACKUP_ERRORS = {
  archive_invalid: entry(
    500,
    1,
    "The archive does not match the log.",
    "Replace the file with a good copy; the details name the first difference. The log is not affected.",
  ),
  archive_not_found: entry(
    404,
    4,
    "No archive of this session was found.",
    "Run `nomos session show <session>` to see whether it was archived. Archives are in `$NOMOS_HOME/archive`.",
  ),
  backup_exists: entry(
    409,
    5,
    "The path exists already.",
    "Choose a path that does not exist: a backup never overwrites.",
  ),
  backup_invalid: entry(
    409,
    1,
    "This is not a backup, or it was changed after it was made.",
    "Use another backup; the details say what is wrong. Nothing was restored.",
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
    "A newer version of Nomos made this backup.",
    "Install that version or a later one, then run `nomos restore <backup>` again.",
  ),
  backup_refused: entry(
    400,
    2,
    "A backup cannot be written there.",
    "Give an absolute path in an existing directory, outside $NOMOS_HOME or in `$NOMOS_HOME/backups`.",
  ),
  home_is_backup: entry(
    409,
    5,
    "This is a backup, not a home.",
    "Set $NOMOS_HOME to a new directory, then run `nomos restore <backup>`.",
  ),
  home_not_empty: entry(
    409,
    5,
    "The home already has a log, and a restore never overwrites one.",
    "Set $NOMOS_HOME (and $NOMOS_STORE) to a place without a log, or move the old log away.",
  ),
  restore_unfinished: entry(
    409,
    5,
    "A restore of this home did not finish.",
    "Run `nomos restore <backup>` again, or remove `$NOMOS_HOME/restoring.tmp` to start without the backup.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
