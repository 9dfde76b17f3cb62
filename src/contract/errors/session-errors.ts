import { type ErrorEntry, entry } from "./entry.ts";

/** Sessions, turns, agents and what belongs to them. */
export const SESSION_ERRORS = {
  agent_exists: entry(
    409,
    5,
    "An agent with this slug exists already.",
    "Choose another slug, or delete the old agent first.",
  ),
  agent_in_use: entry(
    409,
    5,
    "This agent comes with an installed driver and cannot be deleted.",
    "Create an agent of your own on the same driver.",
  ),
  agent_not_found: entry(404, 4, "There is no such agent.", "`nomos agent list` shows those there are."),
  already_answered: entry(
    409,
    5,
    "This question has been answered or closed already.",
    "`nomos approval list` shows what is still open.",
  ),
  ambiguous_id: entry(409, 5, "More than one session matches.", "Give more characters of the id, or the full name."),
  approval_not_found: entry(404, 4, "There is no such question.", "`nomos approval list` shows those there are."),
  artifact_limit: entry(
    409,
    5,
    "The session has as many artifact paths as it may have.",
    "Write to a path that exists, or fork the session.",
  ),
  artifact_not_found: entry(
    404,
    4,
    "The session has no such artifact, or not at this version.",
    "`nomos artifact list <session>` shows those there are.",
  ),
  effect_not_open: entry(409, 5, "This effect is not under way.", "Start a new one."),
  lease_held: entry(409, 5, "Somebody else is the one writer.", "Wait until they are done."),
  not_promptable: entry(
    409,
    5,
    "Somebody else drives this session; it takes no prompts.",
    "Prompt the agent where it runs.",
  ),
  queue_full: entry(429, 6, "The queue is full; nothing was admitted.", "Wait until some of it is done."),
  session_busy: entry(409, 5, "The session is busy.", "Wait, or send the prompt with `queue` or `interrupt`."),
  session_ended: entry(409, 5, "The session has ended.", "Fork it, or start a new one."),
  session_exists: entry(409, 5, "There is a session with this id.", "Leave the id to Nomos."),
  session_not_found: entry(404, 4, "There is no such session.", "`nomos ps` shows those there are."),
  session_not_suspended: entry(409, 5, "The session is not suspended.", "Nothing is left to do."),
  session_suspended: entry(409, 5, "The session is suspended.", "Resume it, or send the prompt with `queue`."),
  todo_limit: entry(409, 5, "A todo list may not be that long.", "Keep it within the limit in the details."),
  turn_ended: entry(409, 5, "This turn has ended.", "Begin a new one."),
  turn_not_found: entry(
    404,
    4,
    "The session has no such turn.",
    "`nomos session events <session> --types turn.admitted` lists them.",
  ),
  turn_not_running: entry(409, 5, "This turn has not started yet.", "Wait for it."),
  turn_open: entry(409, 5, "Another turn is open.", "Finish it first."),
} as const satisfies { readonly [code: string]: ErrorEntry };
