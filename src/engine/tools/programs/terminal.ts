import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../../tool.ts";
import { done, failed, notDone } from "../shared/results.ts";
import { oneLine } from "../shared/shown.ts";
import { middleCut } from "./middle-cut.ts";

const Input = z.strictObject({
  command: z.string().min(1).max(100_000).describe("Shell command, run in the session's directory."),
  timeoutMs: z
    .number()
    .int()
    .min(1000)
    .max(600_000)
    .optional()
    .describe("How long to wait, in milliseconds. Default 120000; then the command goes on in the background."),
  background: z
    .boolean()
    .optional()
    .describe("Start it and do not wait: for servers and watchers. See the tool process."),
});

type Input = z.infer<typeof Input>;

export const terminal: Tool<Input> = {
  name: "terminal",
  description:
    "Runs a shell command and answers with what it printed and its exit code; any code but 0 is an error. Each call is a " +
    "new shell in the session's directory: `cd` and variables do not last. There is no keyboard, so use flags instead of " +
    "questions (-y). Output above 30 KB is cut in the middle. Prefer read, grep, glob and edit where they do.",
  input: Input,
  permission: "run",
  redo: "ask",
  mode: "sequential",
  title: ({ command }) => oneLine(command),
  run: (input, context) => (input.background === true ? start(input.command, context) : runCommand(input, context)),
};

const WAIT_MS = 120_000;

async function start(command: string, { world }: ToolContext): Promise<ToolResult> {
  const { processId } = await world.processes.start(command);
  return done(`Started in the background as process ${processId}.\n${howToFollow(processId)}`);
}

async function runCommand({ command, timeoutMs = WAIT_MS }: Input, { world }: ToolContext): Promise<ToolResult> {
  const effect = await world.run(command, { timeoutMs });
  if (effect.outcome === "refused") return failed(notDone("The command", effect) ?? "");
  const output = await middleCut(effect, world);
  const shown = output === "" ? "(no output)" : output;
  if (effect.processId !== null) {
    const note = `[still running after ${timeoutMs / 1000} s; it goes on in the background as process ${effect.processId}]`;
    return done([shown, note, howToFollow(effect.processId)].join("\n"));
  }
  if (effect.exitCode === 0 && effect.outcome === "done") return done(shown);
  const end =
    effect.exitCode === null
      ? `ended without an exit code: ${effect.message ?? "it was killed"}`
      : `exit code ${effect.exitCode}`;
  return failed(`${shown}\n[${end}]`);
}

function howToFollow(processId: string): string {
  const id = JSON.stringify(processId);
  return `Read its output with process {"action": "output", "processId": ${id}}, stop it with {"action": "stop", "processId": ${id}}. It ends with the turn at the latest.`;
}
