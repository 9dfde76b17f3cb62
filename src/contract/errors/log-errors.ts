import { type ErrorEntry, entry } from "./entry.ts";

/** The log, what is derived from it, its home and its evidence. */
export const LOG_ERRORS = {
  anchor_disagrees: entry(
    409,
    5,
    "An anchor remembers another log than this one.",
    "Compare its checkpoint with `nomos audit checkpoint`: the log lost events, or somebody exchanged it. Restore a backup.",
  ),
  anchor_failed: entry(
    502,
    6,
    "A checkpoint could not be anchored; it is tried again.",
    "The details say why; `anchors` in the configuration names the place.",
  ),
  blob_missing: entry(
    500,
    1,
    "Bytes that the log names are not on disk.",
    "Run `nomos doctor`; restore the blobs folder from a backup.",
  ),
  checkpoint_invalid: entry(
    500,
    1,
    "What was kept outside of the log to compare it with cannot be trusted.",
    "Restore `checkpoint` and `keys` in $NOMOS_HOME from a backup. If they are lost, move both away: the log is then signed anew, and older exports are what is left to compare it with.",
  ),
  disk_full: entry(
    507,
    6,
    "The disk is full; nothing was written.",
    "Free some space and ask again; nothing was lost.",
  ),
  event_not_found: entry(
    404,
    4,
    "There is no such event here.",
    "`nomos session events <session>` lists those there are.",
  ),
  export_exists: entry(
    409,
    5,
    "Something is there already.",
    "Name a path where nothing is: an export never overwrites.",
  ),
  export_refused: entry(
    400,
    2,
    "An export cannot be written there.",
    "Name an absolute path in a directory that exists, outside of $NOMOS_HOME or in its `exports`.",
  ),
  home_in_use: entry(
    409,
    5,
    "Another daemon runs on this home, or on this log.",
    "Use it (`nomos status`), stop it (`nomos down`), or set another $NOMOS_HOME; in a shared database, another schema.",
  ),
  home_unusable: entry(500, 6, "This directory cannot be the home.", "Point $NOMOS_HOME at a directory of its own."),
  log_corrupt: entry(
    500,
    1,
    "The log holds bytes that are not what was written.",
    "Run `nomos doctor`: it names each place. Restore from a backup.",
  ),
  log_newer: entry(500, 6, "The log was written by a newer version.", "Install that version, or a later one."),
  log_rolled_back: entry(
    500,
    1,
    "The log is not the one that was signed: events are missing at its end, or are others.",
    "Restore the newest backup of the log. To go on with what is there and accept the loss, move `checkpoint` and `tree` in $NOMOS_HOME away.",
  ),
  not_erasable: entry(
    409,
    5,
    "This event holds the session together; its data stays.",
    "Erase what was said and done: prompts, messages, output, artifacts.",
  ),
  stale_fence: entry(409, 5, "Another writer has taken over.", "This process must stop; the other one goes on."),
  stale_version: entry(409, 5, "Something else was written first.", "Read again, then decide again."),
  store_closed: entry(503, 6, "The daemon is stopping.", "Ask again when it is up."),
  store_failed: entry(
    503,
    6,
    "The log could not be written; the daemon stops.",
    "Look at the disk and at `nomos daemon logs`, then start it again: what was acknowledged is there.",
  ),
  store_read_only: entry(
    503,
    6,
    "The home cannot be written.",
    "Give this user write access to $NOMOS_HOME, or choose another.",
  ),
  store_unreachable: entry(
    503,
    6,
    "The database that holds the log cannot be reached.",
    "Look at the address in $NOMOS_STORE (or `store` in the configuration), at user and password, and whether PostgreSQL runs; the daemon goes on by itself when it is back.",
  ),
  store_unsuitable: entry(
    500,
    6,
    "This database cannot hold the log.",
    "The details say why: it takes PostgreSQL 14 or later, a database in UTF-8, and fsync and full_page_writes on.",
  ),
  tile_missing: entry(
    500,
    1,
    "A part of the tree over the log is missing or was changed.",
    "Run `nomos doctor --repair`: it is made anew out of the log, once the log has proved to be the one that was signed.",
  ),
  tile_not_found: entry(404, 4, "The tree has no such tile.", "`nomos status` shows the tree's size."),
} as const satisfies { readonly [code: string]: ErrorEntry };
