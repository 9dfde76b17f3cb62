import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of fan-outs: one prompt in several worktrees. */
export const FANOUT_ERRORS = {
  fanout_exists: entry(409, 5, "This fan-out exists already.", "Run `nomos fan-out list` to see all fan-outs."),
  fanout_not_found: entry(404, 4, "There is no such fan-out.", "Run `nomos fan-out list` to see all fan-outs."),
  fanout_too_few: entry(
    409,
    5,
    "Fewer than two of the agents could be started, so there is nothing to compare.",
    "Read the reasons; run `nomos driver list` to see which agents are installed, or start one: `nomos run --worktree`.",
  ),
  fanout_too_many: entry(
    422,
    2,
    "A fan-out takes no more candidates.",
    "Name fewer agents, or raise the limit: `nomos config set fanOut.candidatesMax <number>`.",
  ),
  fanout_candidate_not_found: entry(
    404,
    4,
    "The fan-out has no such candidate.",
    "Name one of its sessions, or an agent that only one of them has: `nomos fan-out show <fan-out>`.",
  ),
  fanout_unfinished: entry(
    409,
    5,
    "Some candidates still work, so none is the best yet.",
    "Run `nomos fan-out wait <fan-out>`, or name the session to land: `nomos fan-out land <fan-out> <session>`.",
  ),
  fanout_no_winner: entry(
    409,
    5,
    "No candidate could land as it is.",
    "Run `nomos fan-out show <fan-out>` to see why; prompt one again, or name the session to land.",
  ),
  fanout_undecided: entry(
    409,
    5,
    "No candidate has landed, so there are no others to drop.",
    "Name what to drop: `nomos fan-out drop <fan-out> <session>`, or everything: `nomos fan-out drop <fan-out> --all`.",
  ),
  fanout_landing: entry(
    409,
    5,
    "The candidate's work is on its way to a branch.",
    "Run `nomos landing list` and wait for it, or eject it: `nomos landing eject <landing>`.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
