import { Buffer } from "node:buffer";
import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../../tool.ts";
import { codeOf, done, failed, messageOf, notDone } from "../shared/results.ts";
import { cutChars, oneLine, RESULT_CHARS_MAX, shownName, shownOutput } from "../shared/shown.ts";

const NEEDS = {
  start: ["command"],
  list: [],
  output: [],
  write: ["processId", "text"],
  stop: ["processId"],
  ports: ["processId"],
} as const;

const Input = z
  .strictObject({
    action: z.enum(["start", "list", "output", "write", "stop", "ports"]),
    command: z.string().min(1).max(100_000).optional().describe("For start: a shell command."),
    processId: z.string().min(1).max(200).optional().describe("For output, write, stop, ports."),
    effectId: z.string().min(1).max(200).optional().describe("For output: a command whose output was cut."),
    from: z.number().int().min(0).max(1e12).optional().describe("For output: the first byte to show. Default 0."),
    text: z.string().max(100_000).optional().describe("For write: goes to the process as typed; end a line with \\n."),
  })
  .superRefine((input, context) => {
    for (const name of NEEDS[input.action])
      if (input[name] === undefined)
        context.addIssue({ code: "custom", path: [name], message: `action ${input.action} needs it` });
    if (input.action === "output" && (input.processId === undefined) === (input.effectId === undefined))
      context.addIssue({ code: "custom", message: "action output needs either processId or effectId" });
  });

type Input = z.infer<typeof Input>;

export const process: Tool<Input> = {
  name: "process",
  description:
    "Programs that run in the background of the turn, such as servers and watchers. start: runs `command` and answers with " +
    "its processId. list: all of them. output: what it printed from byte `from` on; the answer says where to go on. Also " +
    "reads the whole output of a command of the terminal, by `effectId`. write: types `text`. stop: ends it with all it " +
    "started. ports: TCP ports it listens on.",
  input: Input,
  permission: "process",
  redo: "failed",
  mode: "sequential",
  title: ({ action, command, processId, effectId }) =>
    oneLine(`Process ${action} ${command ?? processId ?? effectId ?? ""}`),
  run: async (input, context) => {
    try {
      return await act(input, context);
    } catch (error) {
      if (codeOf(error) === null) throw error;
      return failed(`${messageOf(error)}. List the processes with {"action": "list"}.`);
    }
  },
};

async function act(input: Input, { world }: ToolContext): Promise<ToolResult> {
  const { processId = "", command = "", text = "", from = 0 } = input;
  const { processes } = world;
  switch (input.action) {
    case "start": {
      const started = await processes.start(command);
      return done(`Started as process ${started.processId}.`);
    }
    case "list":
      return showList(await processes.list());
    case "output":
      return input.effectId === undefined
        ? showProcess(processId, from, world)
        : showEffect(input.effectId, from, world);
    case "write":
      await processes.write(processId, text);
      return done(`Wrote ${Buffer.byteLength(text)} bytes to ${processId}. Read what it answers with action output.`);
    case "stop": {
      const effect = await processes.stop(processId);
      // A stopped program ends with a signal, which is what was asked for.
      return effect.outcome === "refused"
        ? failed(notDone(`Stopping ${processId}`, effect) ?? "")
        : done(`Stopped ${processId}${effect.exitCode === null ? "" : ` (exit code ${effect.exitCode})`}.`);
    }
    case "ports": {
      const ports = await processes.ports(processId);
      return done(
        ports.length === 0
          ? `${processId} listens on no TCP port yet.`
          : `${processId} listens on: ${ports.join(", ")}`,
      );
    }
  }
}

/** Of one result; the note about the next page comes on top. */
const PAGE_CHARS_MAX = RESULT_CHARS_MAX - 500;
const PAGE_BYTES = 32_768;

function showList(all: Awaited<ReturnType<ToolContext["world"]["processes"]["list"]>>): ToolResult {
  if (all.length === 0) return done("No processes.");
  const lines = all.map(({ processId, command, isRunning, exitCode }) => {
    const state = isRunning ? "running" : exitCode === null ? "ended" : `ended with ${exitCode}`;
    return `${processId}  ${state}  ${oneLine(command, 200)}`;
  });
  return done(lines.join("\n"));
}

async function showProcess(processId: string, from: number, world: ToolContext["world"]): Promise<ToolResult> {
  const { text, at, next } = await world.processes.output(processId, from);
  const state = (await world.processes.list()).find((one) => one.processId === processId);
  const isRunning = state?.isRunning === true;
  const running = isRunning ? "running" : `ended${state?.exitCode == null ? "" : ` with ${state.exitCode}`}`;
  const note = `[process ${processId} ${running}; ${next > from && !isRunning ? "go on" : "newer output"} with from: ${next}]`;
  const older = `{"action": "output", "effectId": ${JSON.stringify(processId)}, "from": ${from}}`;
  return page(
    text,
    at > from + CHARACTER_BYTES ? `[bytes ${from}-${at} are older; read them with ${older}]\n${note}` : note,
  );
}

/** An offset may point into a character; the page begins behind it. */
const CHARACTER_BYTES = 4;

async function showEffect(effectId: string, from: number, world: ToolContext["world"]): Promise<ToolResult> {
  const { text, total } = await world.output(effectId, from, PAGE_BYTES);
  const end = Math.min(from + PAGE_BYTES, total);
  if (from >= total && from > 0)
    return failed(`The output of ${shownName(effectId)} has ${total} bytes; from ${from} is behind its end.`);
  return page(
    text,
    end < total ? `[bytes ${from}-${end} of ${total}; go on with from: ${end}]` : `[end of the output, ${total} bytes]`,
  );
}

function page(text: string, note: string): ToolResult {
  const shown = shownOutput(text).replace(/\n+$/, "");
  // Control characters are spelled out, so a page of them is longer than its bytes. The note must not be cut off.
  const fitting = cutChars(shown, PAGE_CHARS_MAX);
  return done(`${fitting === "" ? "(no output)" : fitting}\n${note}`);
}
