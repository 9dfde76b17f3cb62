import { dim } from "../screen/styled.ts";
import type { Completion } from "../talk/complete.ts";
import { AGENT_COMMANDS } from "./agent-commands.ts";
import { COST_COMMANDS } from "./cost-commands.ts";
import { FILE_COMMANDS } from "./file-commands.ts";
import { HISTORY_COMMANDS } from "./history-commands.ts";
import { LANDING_COMMANDS } from "./landing-commands.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";
import type { SlashCommands } from "./slash-context.ts";

const HELP: SlashCommands = {
  help: {
    usage: "/help",
    summary: "show the commands and keys",
    run: ({ print, terminal }) =>
      print([
        ...Object.values(SLASH_COMMANDS).map(({ usage, summary }) => `  ${usage.padEnd(USAGE_COLUMNS)}${summary}`),
        ...(terminal.hasCursor ? KEYS : []).map(([key, what]) => dim(`  ${key.padEnd(USAGE_COLUMNS)}${what}`)),
      ]),
  },
};

export const SLASH_COMMANDS: SlashCommands = {
  ...HELP,
  ...AGENT_COMMANDS,
  ...COST_COMMANDS,
  ...HISTORY_COMMANDS,
  ...FILE_COMMANDS,
  ...LANDING_COMMANDS,
  ...SESSION_COMMANDS,
};

const USAGE_COLUMNS = 18;
const KEYS: readonly (readonly [string, string])[] = [
  ["Enter", "send; during a turn it steers the agent, or waits where it cannot"],
  ["Ctrl-X", "send, and let it wait for the end of the turn"],
  ["Alt-Enter, \\", "a new line; a paste stays one prompt"],
  ["Up, Down", "earlier prompts"],
  ["Tab", "complete a command or @file; @picture.png attaches it"],
  ["Ctrl-O", "show the last folded output in full; again: the one before"],
  ["Ctrl-G", "write in $EDITOR"],
  ["Esc", "interrupt the turn; the text stays"],
  ["Ctrl-C", "clear the line, then interrupt, then leave"],
  ["Ctrl-D", "leave; the session goes on"],
];

export function ownCommands(): readonly Completion[] {
  return Object.entries(SLASH_COMMANDS).map(([name, { summary }]) => ({ text: `/${name}`, hint: summary }));
}
