import { type ErrorEntry, entry } from "./entry.ts";

/** Errors of foreign agents. */
export const AGENT_ERRORS = {
  agent_crashed: entry(
    502,
    1,
    "The agent's process ended unexpectedly.",
    "Prompt again: Nomos restarts the agent and continues from the log. The message holds its last output.",
  ),
  agent_version: entry(
    501,
    6,
    "The installed version of the agent is not supported.",
    "Run `nomos driver install` to get a supported version; the details name the range.",
  ),
  content_unsupported: entry(
    400,
    2,
    "The agent does not accept this kind of content.",
    "Leave the attachment out, or choose an agent that accepts it.",
  ),
  not_acp: entry(
    502,
    1,
    "The program does not speak the Agent Client Protocol.",
    "Check the driver's command and arguments with `nomos driver show`, then run `nomos driver check`.",
  ),
  setup_required: entry(
    409,
    6,
    "The agent needs setup first, such as a login or a model key.",
    "Follow the steps in the details, then prompt again.",
  ),
  unknown_mode: entry(400, 2, "The agent has no such mode.", "Choose one of the modes in the details."),
  unknown_model: entry(400, 2, "The agent does not offer this model.", "Choose one of the models in the details."),
  unknown_option: entry(
    400,
    2,
    "The agent has no such option, or does not accept this value.",
    "Choose one of the options and values in the details.",
  ),
} as const satisfies { readonly [code: string]: ErrorEntry };
