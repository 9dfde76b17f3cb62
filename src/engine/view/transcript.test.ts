import { expect, test } from "vitest";
import { createPath } from "../../../test/golden/prompts/path.ts";
import type { Message } from "../model.ts";
import type { PathEvent } from "./path-event.ts";
import { NO_RESULT } from "./step-entry.ts";
import { createTranscript } from "./transcript.ts";
import { commandIn } from "./turn-notes.ts";

const LEFT = "01900000-0000-7000-8000-000000000000";
const META = { api: "anthropic", model: "m", data: { signature: "sig" } };

test("a queued prompt stands where its turn started, with its attachments", () => {
  const path = createPath();
  path.prompt("t1", "first");
  path.admit("t2", "second");
  path.add("turn.attached@1", {
    turnId: "t2",
    items: [
      { kind: "image", name: "a.png", mediaType: "image/png", base64: "AAAA" },
      { kind: "resource", name: "n.md", mediaType: "text/markdown", base64: Buffer.from("# hi").toString("base64") },
      { kind: "resource", name: "n.bin", mediaType: "application/x", base64: Buffer.from([0, 255]).toString("base64") },
      { kind: "link", name: "docs", mediaType: "text/html", uri: "https://example.org" },
      { kind: "image", name: "gone.png", mediaType: "image/png" },
    ],
  });
  path.step("t1", { text: "one" });
  path.end("t1");
  path.start("t2");
  expect(messagesOf(path.events)).toEqual([
    user("first"),
    { role: "assistant", content: [{ kind: "text", text: "one" }] },
    {
      role: "user",
      content: [
        { kind: "text", text: "second" },
        { kind: "image", mediaType: "image/png", base64: "AAAA" },
        { kind: "text", text: "[attachment: n.md (text/markdown)]\n# hi" },
        { kind: "text", text: "[attachment: n.bin (application/x), no text]" },
        { kind: "text", text: "[link: docs] https://example.org" },
        { kind: "text", text: "[attachment: gone.png (image/png), which is no longer there]" },
      ],
    },
  ]);
});

test("a steering message stands before the step that contains it first, also when that step fails", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.step("t1", { calls: [{ id: "c1", name: "run", output: "ok" }] });
  path.steer("t1", "st1", "not that file");
  path.steer("t1", "st2", "too late");
  path.step("t1", {}, { steers: ["st1"], stop: "error", parts: [] });
  path.step("t1", { text: "right" });
  path.end("t1");
  const before = createTranscriptOf(path.events);
  expect(before.steersWaiting()).toEqual([{ steerId: "st2", turnId: "t1", text: "too late" }]);
  path.prompt("t2", "next");
  expect(messagesOf(path.events).slice(3)).toEqual([
    user("not that file"),
    assistant("right"),
    user("[said during the earlier turn] too late", "next"),
  ]);
});

test("a step is one assistant message in the order of its parts, results in the order of the calls", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.step(
    "t1",
    {
      thought: "hm",
      meta: META,
      text: "I look",
      calls: [
        { id: "c1", name: "read", input: '{"path":"a"}', output: "A" },
        { id: "c2", name: "run", output: "B", isError: true },
        { id: "c3", name: "run", output: "" },
      ],
    },
    { resultsReversed: true },
  );
  expect(messagesOf(path.events).slice(1)).toEqual([
    {
      role: "assistant",
      content: [
        { kind: "thought", text: "hm", meta: META },
        { kind: "text", text: "I look" },
        { kind: "call", callId: "c1", name: "read", input: '{"path":"a"}' },
        { kind: "call", callId: "c2", name: "run", input: "{}" },
        { kind: "call", callId: "c3", name: "run", input: "{}" },
      ],
    },
    {
      role: "tool",
      results: [
        { callId: "c1", name: "read", content: [{ kind: "text", text: "A" }], isError: false },
        { callId: "c2", name: "run", content: [{ kind: "text", text: "B" }], isError: true },
        { callId: "c3", name: "run", content: [{ kind: "text", text: "[no output]" }], isError: false },
      ],
    },
  ]);
});

test("a result's images follow its text", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.step("t1", { calls: [{ id: "c1", name: "read" }] });
  path.result(
    "t1",
    { id: "c1", name: "read", output: "a picture" },
    { images: [{ mediaType: "image/png", base64: "AA" }] },
  );
  const last = messagesOf(path.events).at(-1);
  expect(last?.role === "tool" && last.results[0]?.content).toEqual([
    { kind: "text", text: "a picture" },
    { kind: "image", mediaType: "image/png", base64: "AA" },
  ]);
});

test("a failed step leaves nothing, and the retry takes its place", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.step("t1", { text: "half an ans" }, { stop: "error", parts: [] });
  path.step("t1", { text: "an answer" });
  expect(messagesOf(path.events)).toEqual([user("go"), assistant("an answer")]);
});

test("an aborted step keeps its text and the calls that were begun; without any it says so", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.stepStart("t1");
  path.message("t1", "secret", "thought");
  path.message("t1", "so far");
  path.called("t1", { id: "c1", name: "run" });
  path.stepEnd(
    "t1",
    {
      thought: "secret",
      text: "so far",
      calls: [
        { id: "c1", name: "run" },
        { id: "c2", name: "run" },
      ],
    },
    { stop: "aborted" },
  );
  path.end("t1", "interrupted");
  path.prompt("t2", "again");
  path.step("t2", { thought: "hm", meta: META }, { stop: "aborted" });
  path.end("t2", "interrupted");
  path.prompt("t3", "and now");
  expect(messagesOf(path.events)).toEqual([
    user("go"),
    {
      role: "assistant",
      content: [
        { kind: "text", text: "so far" },
        { kind: "call", callId: "c1", name: "run", input: "{}" },
      ],
    },
    {
      role: "tool",
      results: [{ callId: "c1", name: "run", content: [{ kind: "text", text: NO_RESULT }], isError: true }],
    },
    user("[the earlier turn was interrupted]", "again"),
    assistant("[interrupted]"),
    user("and now"),
  ]);
});

test("a daemon killed during a tool: the call gets an error result, and the turn goes on", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.step("t1", {
    calls: [
      { id: "c1", name: "run", output: "ok" },
      { id: "c2", name: "run" },
    ],
  });
  path.add("turn.resumed@1", { turnId: "t1", reason: "daemon_restarted" });
  path.step("t1", { text: "done" });
  const messages = messagesOf(path.events);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(messages[2]?.role === "tool" && messages[2].results.map(({ isError }) => isError)).toEqual([false, true]);
});

test("a daemon killed during an answer: its text stays, and the next request asks to go on", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.stepStart("t1");
  path.message("t1", "thinking", "thought");
  path.message("t1", "half");
  path.called("t1", { id: "c1", name: "run" });
  path.stepStart("t1");
  const expected = [user("go"), assistant("half", "[tool] run c1 -> unknown"), user("[go on from where you stopped]")];
  expect(messagesOf(path.events)).toEqual(expected);
  path.stepEnd("t1", {}, { stop: "error", parts: [] });
  expect(messagesOf(path.events)).toEqual(expected.slice(0, 2));
  path.step("t1", { text: "whole" });
  expect(messagesOf(path.events)).toEqual([...expected, assistant("whole")]);
});

test("a foreign driver's turn is plain text: its tools are not ours, its thoughts are left out", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.message("t1", "hm", "thought");
  path.message("t1", "I look");
  path.called("t1", { id: "c1", name: "read", path: "a.ts" });
  path.add("effect.intended@1", effect("f1", "read", { path: "a.ts" }));
  path.result("t1", { id: "c1", name: "read", output: "x".repeat(2500) });
  path.called("t1", { id: "c2", name: "run" });
  path.end("t1", "failed", "agent_died");
  path.prompt("t2", "go on");
  expect(messagesOf(path.events)).toEqual([
    user("go"),
    assistant(`I look\n\n[tool] read a.ts -> done: ${"x".repeat(2000)}\n[cut]\n\n[tool] run c2 -> unknown`),
    user("[the earlier turn failed: agent_died]", "go on"),
  ]);
});

test("effects of a script are plain text with their output", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.add("effect.intended@1", effect("f1", "run", { command: "npm test" }));
  path.add("effect.output@1", {
    effectId: "f1",
    turnId: "t1",
    stream: "stdout",
    text: "2 passed\n",
    blob: null,
    bytes: 9,
  });
  path.add("effect.settled@1", {
    effectId: "f1",
    turnId: "t1",
    outcome: "failed",
    exitCode: 1,
    message: "exit 1",
    redo: null,
  });
  expect(messagesOf(path.events)).toEqual([user("go"), assistant("[tool] run: npm test -> failed: exit 1\n2 passed")]);
});

test("effects of a step belong to its calls", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.step("t1", { calls: [{ id: "c1", name: "run" }] });
  path.add("effect.intended@1", effect("f1", "run", { command: "npm test" }));
  path.result("t1", { id: "c1", name: "run", output: "ok" });
  expect(messagesOf(path.events)).toHaveLength(3);
});

test("/compact and what it says are not part of the transcript", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.step("t1", { text: "one" });
  path.end("t1");
  path.prompt("t2", "/compact the tests");
  path.stepStart("t2", { purpose: "compaction" });
  path.message("t2", "a summary");
  path.stepEnd("t2", { text: "a summary" });
  path.message("t2", "Compacted.");
  path.end("t2", "interrupted");
  path.prompt("t3", "/compactness is what?");
  expect(messagesOf(path.events)).toEqual([user("go"), assistant("one"), user("/compactness is what?")]);
});

test("a branch that was left is a note of the user's side; the command and what it says are not part of it", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.step("t1", { text: "one" });
  path.end("t1");
  path.prompt("t2", `/branch ${LEFT} the tests`);
  path.stepStart("t2", { purpose: "branch" });
  path.message("t2", "It went nowhere.");
  path.stepEnd("t2", { text: "It went nowhere." });
  path.branch("t2", "It went nowhere.");
  path.message("t2", "Summarised.");
  path.end("t2");
  path.prompt("t3", "and now?");
  const [, , said, ...more] = messagesOf(path.events);
  expect(more).toEqual([]);
  expect(said).toEqual(
    user(expect.stringContaining("<left-branch>\nIt went nowhere.\n</left-branch>") as unknown as string, "and now?"),
  );
  const transcript = createTranscriptOf(path.events);
  expect(transcript.entries().map(({ kind }) => kind)).toEqual(["prompt", "step", "branch", "prompt"]);
});

test("a branch command that failed leaves no note; a prompt that only looks like one is for the model", () => {
  const path = createPath();
  path.prompt("t1", `/branch ${LEFT}`);
  path.end("t1", "failed", "branch_summary_failed");
  path.prompt("t2", "/branch off from main");
  expect(messagesOf(path.events)).toEqual([user("/branch off from main")]);
});

test("commands and their focus", () => {
  expect(commandIn("/compact")).toEqual({ do: "compact", focus: null });
  expect(commandIn("/compact a\nb ")).toEqual({ do: "compact", focus: "a\nb" });
  expect(commandIn(`/branch ${LEFT}`)).toEqual({ do: "branch", from: LEFT, focus: null });
  expect(commandIn(`/branch ${LEFT} a\nb`)).toEqual({ do: "branch", from: LEFT, focus: "a\nb" });
  expect(commandIn(`/branch ${LEFT}0`)).toBeNull();
  expect(commandIn(" /compact")).toBeNull();
});

test("a failed step and its retry leave only the answer", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.stepStart("t1", {});
  path.stepEnd("t1", {}, { stop: "error", parts: [], error: { class: "overloaded", message: "busy" } });
  path.step("t1", { text: "done" });
  expect(messagesOf(path.events)).toEqual([user("go"), assistant("done")]);
});

test("the system prompt is the newest composed one; erased and unknown events are skipped", () => {
  const path = createPath();
  path.compose("old");
  path.compose("You are Nomos.", "Be brief.");
  path.events.push({ id: "gone", seq: 3, at: "", fact: null });
  path.start("t1");
  const transcript = createTranscriptOf(path.events);
  expect(transcript.system()).toBe("You are Nomos.\n\nBe brief.");
  expect(transcript.messages()).toEqual([user("[this prompt was erased]")]);
});

test("a compaction puts the summary first and keeps from an event on", () => {
  const path = createPath();
  path.prompt("t1", "go");
  path.step("t1", { text: "one" });
  path.end("t1", "interrupted");
  const kept = path.prompt("t2", "two");
  path.step("t2", { text: "second" });
  path.compact(kept, "All of it.");
  path.step("t2", { text: "third" });
  const summary = "What came before was replaced by this summary, to save room:\n\n<summary>\nAll of it.\n</summary>";
  expect(messagesOf(path.events)).toEqual([
    user(summary, "[the earlier turn was interrupted]", "two"),
    assistant("second"),
    user("[go on from where you stopped]"),
    assistant("third"),
  ]);
  path.compact(null, "Again.");
  expect(messagesOf(path.events)).toEqual([user(summary.replace("All of it.", "Again."))]);
});

test("unchanged messages stay the same objects when the transcript grows", () => {
  const path = createPath();
  path.prompt("t1", "go");
  for (let step = 0; step < 5; step += 1) path.step("t1", { calls: [{ id: `c${step}`, name: "run", output: "ok" }] });
  const transcript = createTranscript();
  let before: readonly Message[] = [];
  for (const event of path.events) {
    transcript.add(event);
    const now = transcript.messages();
    const same = now.filter((message, index) => message === before[index]).length;
    expect(same).toBeGreaterThanOrEqual(Math.min(before.length, now.length) - 2);
    before = now;
  }
  expect(transcript.messages()).toBe(before);
});

function messagesOf(events: readonly PathEvent[]): readonly Message[] {
  return createTranscriptOf(events).messages();
}

function createTranscriptOf(events: readonly PathEvent[]) {
  const transcript = createTranscript();
  for (const event of events) transcript.add(event);
  return transcript;
}

function user(...texts: readonly string[]): Message {
  return { role: "user", content: texts.map((text) => ({ kind: "text", text })) };
}

function assistant(...texts: readonly string[]): Message {
  return { role: "assistant", content: texts.map((text) => ({ kind: "text", text })) };
}

function effect(effectId: string, kind: string, detail: { readonly [key: string]: string }) {
  return { effectId, turnId: "t1", kind, detail, redo: "ask" as const, verdict: "allow" as const, rules: [] };
}
