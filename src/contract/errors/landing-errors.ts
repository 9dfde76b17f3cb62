import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of landings. A refused landing is no error: it is an answer with findings. */
export const LANDING_ERRORS = {
  branch_not_found: entry(
    404,
    4,
    "The repository has no such branch.",
    "Name a branch that `git branch` shows with `--into`, or create it: `git branch <name>`.",
  ),
  landing_exists: entry(
    409,
    5,
    "A landing of this session is queued or under way.",
    "Run `nomos landing list` to see it; wait for it, or run `nomos landing eject <landing>`.",
  ),
  landing_not_found: entry(404, 4, "There is no such landing.", "Run `nomos landing list` to see all landings."),
  landing_settled: entry(
    409,
    5,
    "The landing is no longer in the queue, so it cannot be changed.",
    "Run `nomos landing show <landing>` to see what came of it.",
  ),
  landing_unmovable: entry(
    409,
    5,
    "The landing cannot be moved there.",
    "Name a waiting landing onto the same branch of the same repository.",
  ),
  nothing_to_land: entry(
    409,
    5,
    "The session's worktree has nothing that the branch lacks.",
    "Run `nomos diff <session>` to see what the session changed.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
