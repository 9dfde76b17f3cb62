import { describe, expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { builtInManifest, builtInManifests } from "../manifests/built-in.ts";
import { modeEnvironment, printArgv } from "./print-argv.ts";
import type { PrintSign, ReadLine } from "./print-sign.ts";
import { readClaude } from "./read-claude.ts";
import { readCodex } from "./read-codex.ts";
import { readGemini } from "./read-gemini.ts";
import { readOpencode } from "./read-opencode.ts";
import { readPi } from "./read-pi.ts";

/** Recorded output of each program for a turn that writes a file. */
const HEARD: { readonly [program: string]: { readonly read: ReadLine; readonly lines: readonly object[] } } = {
  claude: {
    read: readClaude,
    lines: [
      { type: "system", subtype: "init", session_id: "n-1", tools: [] },
      {
        type: "assistant",
        message: { content: [{ type: "tool_use", id: "c1", name: "Write", input: { file_path: "a" } }] },
      },
      {
        type: "user",
        message: { role: "user", content: [{ tool_use_id: "c1", type: "tool_result", content: "written" }] },
      },
      { type: "assistant", message: { content: [{ type: "text", text: "done" }] } },
      {
        session_id: "n-1",
        stop_reason: "end_turn",
        total_cost_usd: 0.5,
        usage: { input_tokens: 10, output_tokens: 6 },
      },
    ],
  },
  codex: {
    read: readCodex,
    lines: [
      { type: "thread.started", thread_id: "n-1" },
      { type: "turn.started" },
      {
        type: "item.started",
        item: { id: "c1", type: "command_execution", command: "touch a", status: "in_progress" },
      },
      {
        type: "item.completed",
        item: { id: "c1", type: "command_execution", command: "touch a", aggregated_output: "written", exit_code: 0 },
      },
      { type: "item.completed", item: { id: "i2", type: "agent_message", text: "done" } },
      { type: "turn.completed", usage: { input_tokens: 10, output_tokens: 6 } },
    ],
  },
  opencode: {
    read: readOpencode,
    lines: [
      { type: "step_start", sessionID: "n-1", part: { type: "step-start" } },
      {
        type: "tool_use",
        sessionID: "n-1",
        part: {
          tool: "write",
          callID: "c1",
          state: { status: "completed", input: { filePath: "a" }, output: "written" },
        },
      },
      { type: "text", sessionID: "n-1", part: { type: "text", text: "done" } },
      { type: "step_finish", sessionID: "n-1", part: { tokens: { input: 10, output: 6 }, cost: 0 } },
    ],
  },
  gemini: {
    read: readGemini,
    lines: [
      { type: "init", session_id: "n-1", model: "m" },
      { type: "message", role: "user", content: "write" },
      { type: "tool_use", tool_name: "write_file", tool_id: "c1", parameters: { file_path: "a" } },
      { type: "tool_result", tool_id: "c1", status: "success", output: "written" },
      { type: "message", role: "assistant", content: "done", delta: true },
      { type: "result", status: "success", stats: { input_tokens: 10, output_tokens: 6 } },
    ],
  },
  pi: {
    read: readPi,
    lines: [
      { type: "session", version: 3, id: "n-1" },
      { type: "agent_start" },
      { type: "tool_execution_start", toolCallId: "c1", toolName: "write", args: { path: "a" } },
      {
        type: "tool_execution_end",
        toolCallId: "c1",
        result: { content: [{ type: "text", text: "written" }] },
        isError: false,
      },
      { type: "message_update", assistantMessageEvent: { type: "text_delta", delta: "done" } },
      { type: "message_end", message: { role: "assistant", stopReason: "stop", usage: { input: 10, output: 6 } } },
      { type: "agent_settled" },
    ],
  },
};

describe("output of print-mode programs", () => {
  for (const [program, { read, lines }] of Object.entries(HEARD))
    proves("AG-22", `${program}: session, tool call, text and usage are read into the same shapes`, () => {
      const signs = lines.flatMap(read);
      expect(signs.find(({ sign }) => sign === "session")).toEqual({ sign: "session", nativeId: "n-1" });
      const updates = signs.flatMap((sign: PrintSign) => (sign.sign === "update" ? [sign.update] : []));
      const calls = updates.flatMap((update) => (update.is === "tool" ? [update.call] : []));
      expect(calls.map(({ callId }) => callId)).toContain("c1");
      expect(calls.at(-1)).toMatchObject({ status: "completed", content: [{ text: "written" }] });
      expect(updates.filter(({ is }) => is === "text")).toMatchObject([{ role: "assistant", text: "done" }]);
      expect(updates.findLast(({ is }) => is === "tokens")).toMatchObject({ input: 10, output: 6 });
      expect(updates.filter(({ is }) => is === "other")).toEqual([]);
    });

  proves("AG-22", "output of an unknown kind is kept as it came", () => {
    for (const { read } of Object.values(HEARD))
      for (const line of [{ type: "hologram", beam: 1 }, { no: "type" }, []])
        expect(read(line)).toMatchObject([{ sign: "update", update: { is: "other", update: line } }]);
  });
});

proves(
  "AG-22",
  "a program that does not know its session has done nothing: it is sent the digest, and nothing runs twice",
  () => {
    const usage = { input_tokens: 0, output_tokens: 0 };
    const line = { type: "result", is_error: true, session_id: "n-1", usage, errors: ["No conversation found: n-1"] };
    const signs = readClaude(line);
    expect(signs.map(({ sign }) => sign)).toEqual(["update", "failed"]);
    expect(signs).toMatchObject([{ update: { is: "tokens" } }, { message: "No conversation found: n-1" }]);
  },
);

proves("AG-22", "messages stay separate, and a tool call's kind comes from its tool, not from its title", () => {
  const message = (id: string) => ({ type: "item.completed", item: { id, type: "agent_message", text: id } });
  const spoken = [message("i1"), message("i2")].flatMap(readCodex);
  expect(spoken).toMatchObject([{ update: { messageId: "i1" } }, { update: { messageId: "i2" } }]);
  const item = { id: "c1", type: "command_execution", command: "cat create.txt", status: "in_progress" };
  expect(readCodex({ type: "item.started", item })).toMatchObject([
    { update: { call: { title: "cat create.txt", kind: "execute" } } },
  ]);
  const state = { status: "running", title: "src/bash.ts", input: {} };
  expect(readOpencode({ type: "tool_use", part: { tool: "read", callID: "c1", state } })).toMatchObject([
    { update: { call: { title: "src/bash.ts", kind: "read" } } },
  ]);
});

proves(
  "AG-22",
  "a line that fails its schema is kept under its own name, and so are unknown fields of a valid line",
  () => {
    const kept = (line: object, read: ReadLine) =>
      read(line).map((sign) => (sign.sign === "update" ? sign.update : sign));
    expect(kept({ type: "assistant", message: { content: 7 } }, readClaude)).toMatchObject([
      { is: "other", kind: "assistant" },
    ]);
    expect(kept({ type: "system", subtype: "api_retry" }, readClaude)).toMatchObject([
      { is: "other", kind: "system/api_retry" },
    ]);
    const block = { type: "hologram", beam: 1 };
    expect(kept({ type: "assistant", message: { content: [block] } }, readClaude)).toEqual([
      { is: "other", kind: "hologram", update: block },
    ]);
  },
);

proves("AG-22", "each program starts in a mode that cannot write, whatever its own settings say", () => {
  const settings = { mode: null, model: null, options: {} };
  const said = builtInManifests()
    .filter(({ protocol }) => protocol === "print")
    .map((manifest) => [
      manifest.id,
      [...printArgv([], manifest, null, settings, false), ...Object.keys(modeEnvironment(manifest, settings))].join(
        " ",
      ),
    ]);
  expect(Object.fromEntries(said)).toMatchObject({
    "claude-print": expect.stringContaining("--permission-mode default"),
    "codex-print": expect.stringContaining("-s read-only"),
    "gemini-print": expect.stringContaining("--approval-mode default"),
    "opencode-print": expect.stringContaining("OPENCODE_PERMISSION"),
    "pi-print": expect.stringContaining("--tools read,grep,find,ls"),
  });
  expect(said.length).toBe(5);
});

proves("AG-22", "the native session id is passed on, and a chosen value stays one argument", () => {
  const codex = builtInManifest("codex-print");
  if (codex === null) throw new Error("codex-print is gone");
  const settings = { mode: "read-only", model: "-x --danger", options: {} };
  expect(printArgv(["codex"], codex, null, settings, false)).toEqual([
    ...["codex", "exec", "--json", "--skip-git-repo-check"],
    ...["-s", "read-only", "-m", "-x --danger", "-"],
  ]);
  expect(printArgv(["codex"], codex, "n-1", { mode: null, model: null, options: {} }, false).slice(-3)).toEqual([
    "resume",
    "n-1",
    "-",
  ]);
  const writing = { mode: "workspace-write", model: null, options: {} };
  expect(printArgv(["codex"], codex, null, writing, false)).toContain("workspace-write");
  expect(printArgv(["codex"], codex, null, writing, true)).toContain("danger-full-access");
  expect(printArgv(["codex"], codex, null, settings, true)).toContain("read-only");
});
