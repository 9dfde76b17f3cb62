import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of Nomos inside of another program. */
export const EMBEDDING_ERRORS = {
  embedding_closed: entry(
    503,
    6,
    "This Nomos was closed. What was under way is in its log.",
    "Call `createNomos` with the same home: turns of the own engine go on from the log.",
  ),
  listen_required: entry(
    409,
    5,
    "A foreign agent reaches Nomos by a port, and this program listens on none.",
    "Call `createNomos` with `listen: true`.",
  ),
  turn_not_completed: entry(
    409,
    1,
    "The turn was stopped before it had an answer.",
    "Prompt again. `nomos turns <session>` lists what became of each turn.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
