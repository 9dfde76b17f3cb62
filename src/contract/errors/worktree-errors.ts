import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of git, worktrees and scopes. */
export const WORKTREE_ERRORS = {
  git_failed: entry(
    500,
    1,
    "A git command failed.",
    "Read git's message in the details. Run `git fsck` in the repository to find damage.",
  ),
  git_missing: entry(
    501,
    6,
    "The daemon finds no git on its PATH.",
    "Run `apt-get install git`, then `nomos restart`.",
  ),
  not_a_repository: entry(
    400,
    2,
    "The directory is not in a git repository.",
    "Run `git init` there or name a folder of a repository. A session without `worktree` and `scope` needs none.",
  ),
  repository_invalid: entry(
    400,
    2,
    "The repository's git files are not valid or belong to another repository.",
    "Name the main repository, or run `git worktree repair`; the details say what is wrong.",
  ),
  scope_invalid: entry(
    400,
    2,
    "The scope is not valid.",
    "Write paths below the repository's root; `*` stands for a name, `**` for any number of folders.",
  ),
  worktree_base_incomplete: entry(
    409,
    5,
    "The repository lacks objects of the base commit.",
    "Run `git fetch --refetch` in the repository, or check the base out there.",
  ),
  worktree_base_missing: entry(
    400,
    2,
    "The base commit does not exist.",
    "Name a branch, tag or commit that `git log` shows.",
  ),
  worktree_conflicts: entry(
    409,
    5,
    "You and the session changed the same files, so nothing was brought home.",
    "Commit or undo your changes to the files in the details, then try again; or fetch the worktree's branch and merge it.",
  ),
  worktree_failed: entry(
    500,
    1,
    "The worktree could not be made or removed.",
    "Remove the cause that the details name, then try again.",
  ),
  worktree_has_work: entry(
    409,
    5,
    "The worktree holds work that exists nowhere else, so it was not removed.",
    "Take its commits over with `git fetch <path> <branch>:<branch>`. Commit or delete the other files in the details.",
  ),
  worktree_in_use: entry(
    409,
    5,
    "A session or process uses this worktree.",
    "End the session or the processes that the details name.",
  ),
  worktree_missing: entry(
    409,
    5,
    "The worktree's folder was moved or deleted.",
    "Move it back to the path in the details, or run `nomos worktree remove <worktree>`.",
  ),
  worktree_not_found: entry(404, 4, "There is no such worktree.", "Run `nomos worktree list` to see all worktrees."),
} as const satisfies { readonly [code: string]: ErrorEntry };
