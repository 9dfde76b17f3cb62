import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of commits that Nomos makes on the branch of the law. */
export const LAW_BRANCH_ERRORS = {
  law_branch_blocked: entry(
    409,
    5,
    "The branch of the law cannot get a commit now.",
    "Do what the message asks for (`git status` shows what is in the way), then try again.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
