import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of law, tickets and leases. */
export const GOVERNANCE_ERRORS = {
  ticket_not_found: entry(
    404,
    4,
    "The repository has no such ticket.",
    "Run `nomos ticket list` to see its tickets; the default branch's files count.",
  ),
  invalid_parent: entry(
    422,
    2,
    "A ticket of this kind cannot stand under that one.",
    "An intent holds epics and tasks, an epic holds tasks: name another parent with `--parent <id>`.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
