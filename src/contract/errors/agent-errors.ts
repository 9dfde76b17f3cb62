import { type ErrorEntry, entry } from "./entry.ts";

/** Foreign agents: what is missing, what they are not, what they do not offer. */
export const AGENT_ERRORS = {
  agent_crashed: entry(
    502,
    1,
    "The agent's process ended in the middle of something.",
    "Prompt again: it is started anew and goes on where the log is. What it last printed is in the message.",
  ),
  agent_version: entry(
    501,
    6,
    "The agent is there in a version that does not fit.",
    "`nomos driver install` brings the right one; the details name the range.",
  ),
  content_unsupported: entry(
    400,
    2,
    "The agent does not take this kind of content.",
    "Leave it out, or choose an agent that takes it.",
  ),
  not_acp: entry(
    502,
    1,
    "The program does not speak the Agent Client Protocol.",
    "Look at command and arguments of the driver: `nomos driver show`, then `nomos driver check`.",
  ),
  setup_required: entry(
    409,
    6,
    "The agent needs something from you first, such as a login or a key.",
    "Follow the steps in the details, then prompt again.",
  ),
  unknown_mode: entry(400, 2, "The agent has no such mode.", "Choose one of those in the details."),
  unknown_model: entry(400, 2, "The agent does not offer this model.", "Choose one of those in the details."),
  unknown_option: entry(
    400,
    2,
    "The agent has no such option, or it cannot have this value.",
    "Choose one of those in the details.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
