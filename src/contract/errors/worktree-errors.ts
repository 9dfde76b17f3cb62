import { type ErrorEntry, entry } from "./entry.ts";

/** Git, worktrees, and the scope of a session. */
export const WORKTREE_ERRORS = {
  git_failed: entry(
    500,
    1,
    "Git could not do what was asked of it.",
    "The details say why; `git fsck` in the repository says what is damaged.",
  ),
  git_missing: entry(
    501,
    6,
    "There is no git on the daemon's PATH.",
    "Run `apt-get install git`, then `nomos restart`.",
  ),
  not_a_repository: entry(
    400,
    2,
    "A worktree needs a git repository, and there is none.",
    "Run `git init` there, or leave out `worktree` and `scope`.",
  ),
  repository_invalid: entry(
    400,
    2,
    "What stands there is not the repository it says it is.",
    "The details say what is wrong; name the repository itself, or repair it with `git worktree repair`.",
  ),
  scope_invalid: entry(
    400,
    2,
    "The scope cannot be understood as written.",
    "Write paths below the repository's root, with `*` for a name and `**` for any number of folders.",
  ),
  worktree_base_incomplete: entry(
    409,
    5,
    "Not all objects of the base are in the repository.",
    "Fetch them first: check the base out in the repository itself, or run `git fetch --refetch`.",
  ),
  worktree_base_missing: entry(
    400,
    2,
    "There is no such commit to make a worktree from.",
    "Name a branch, tag or commit that `git log` shows.",
  ),
  worktree_failed: entry(500, 1, "The worktree could not be made or removed.", "The details say why."),
  worktree_has_work: entry(
    409,
    5,
    "The worktree holds work that is nowhere else, so it stays.",
    "The details list it: `git fetch <path> <branch>:<branch>` takes commits over; commit or delete the rest in the worktree.",
  ),
  worktree_in_use: entry(
    409,
    5,
    "Somebody works in this worktree.",
    "End the session, or the processes that the details name.",
  ),
  worktree_missing: entry(
    409,
    5,
    "The worktree's folder is not where it was.",
    "Move it back to the path in the details, or remove the worktree.",
  ),
  worktree_not_found: entry(404, 4, "There is no such worktree.", "`nomos worktree list` shows those there are."),
} as const satisfies { readonly [code: string]: ErrorEntry };
