import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of what Nomos writes on the branch of the law. */
export const LAW_BRANCH_ERRORS = {
  law_branch_blocked: entry(
    409,
    5,
    "The branch of the law cannot get a commit now.",
    "Do what the message asks for (`git status` shows what is in the way), then try again.",
  ),
  ticket_open: entry(
    409,
    5,
    "The ticket is not done.",
    "Close it first: `nomos ticket close <ticket>`. What nobody will do is archived with a reason.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
