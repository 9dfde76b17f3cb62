import { expect, test } from "vitest";
import { fakeTerminal } from "../../../test/support/fake-terminal.ts";
import type { LogEvent, StreamItem } from "../../client/index.ts";
import { cutTo, wrap } from "../print/screen-text.ts";
import { harmless } from "../screen/harmless.ts";
import type { Terminal } from "../terminal.ts";
import { diffLines } from "./diff-lines.ts";
import { createTranscript } from "./transcript.ts";

function event(type: string, data: object, at = "2026-11-15T09:00:00.000Z"): StreamItem {
  const whole = { seq: 1, id: "e", stream: "session/s", version: 1, actor: "a", cause: null, hash: "", prev: "" };
  return { event: "event", id: "1", data: { ...whole, type, at, data } as LogEvent };
}

const busy: StreamItem = {
  event: "status",
  data: { id: "s", state: "busy", status: "running", busy: true, queued: 0 },
};
const piece = (text: string): StreamItem => ({ event: "delta", data: { turnId: "t", source: "message", text } });
const body = (text: string) => ({ text, blob: null, bytes: text.length });
const turnId = "t";

function shown(items: readonly StreamItem[], given: Partial<Terminal> = {}): readonly string[] {
  const { terminal, lines } = fakeTerminal(given);
  const transcript = createTranscript(terminal, { prompts: () => true });
  for (const item of items) transcript.show(item);
  transcript.close();
  return lines;
}

test("a turn prints its prompt, folded tools, the file diff and its cost", () => {
  const lines = shown([
    event("turn.admitted@1", { turnId, prompt: "mend it" }),
    event("turn.started@1", { turnId }),
    event("message.completed@1", { turnId, role: "thought", ...body("let me see") }),
    event("tool.called@1", { turnId, callId: "c1", title: "Edit a.ts", kind: "edit", places: [], input: null }),
    event("tool.ended@1", {
      turnId,
      callId: "c1",
      title: "Edit a.ts",
      outcome: "done",
      places: [],
      diffs: [{ path: "a.ts", before: body("one\ntwo\nthree\n"), after: body("one\n2\nthree\n") }],
      output: null,
    }),
    event("effect.intended@1", { turnId, effectId: "e1", kind: "run", detail: { command: "seq 9" } }),
    event("effect.output@1", { turnId, effectId: "e1", stream: "stdout", ...body("1\n2\n3\n4\n5\n6\n7\n8\n9\n") }),
    event("effect.settled@1", { turnId, effectId: "e1", outcome: "failed", exitCode: 2, message: null }),
    event("usage.reported@1", {
      turnId,
      inputTokens: 12_000,
      outputTokens: 345,
      cost: { amount: 0.25, currency: "USD" },
    }),
    event("turn.ended@1", { turnId, outcome: "completed", error: null }, "2026-11-15T09:00:02.500Z"),
  ]);
  expect(lines).toEqual([
    "",
    "> mend it",
    "let me see",
    "● Edit a.ts",
    "  a.ts",
    "    one",
    "  - two",
    "  + 2",
    "    three",
    "● run seq 9",
    "  │ … 5 more lines",
    "  │ 6",
    "  │ 7",
    "  │ 8",
    "  │ 9",
    "  ✗ failed, exit 2",
    "✓ completed · 2.5 s · 2 tool calls · 12k tokens · 0.25 USD",
  ]);
});

test("text that was streamed is not printed again, whichever arrives first", () => {
  const message = event("message.completed@1", { turnId, role: "assistant", ...body("one\ntwo\nthree") });
  expect(shown([busy, piece("one\ntw"), piece("o\nth"), piece("ree"), message])).toEqual(["one", "two", "three"]);
  expect(shown([busy, message])).toEqual(["one", "two", "three"]);
  expect(shown([busy, message, piece("one\ntwo"), piece("\nthree"), piece("new\n")])).toEqual([
    "one",
    "two",
    "three",
    "new",
  ]);
  expect(shown([busy, piece("one\n"), message, piece("two\nthree"), message])).toEqual([
    "one",
    "two",
    "three",
    "one",
    "two",
    "three",
  ]);
});

test("control sequences in an agent's text do not reach the terminal", () => {
  const nasty = "\u001b]0;title\u0007\u001b[2Jgone\u202e\r\u0000end";
  const [line = ""] = shown([event("message.completed@1", { turnId, role: "assistant", ...body(nasty) })], {
    columns: 80,
  });
  expect(line).toBe("␛]0;title␇␛[2Jgone\ufffd␍␀end");
  const title = shown([event("tool.called@1", { turnId, callId: "c", title: nasty })], { columns: 80 });
  expect(["\u001b", "\u0007", "\u202e"].filter((odd) => title.join("").includes(odd))).toEqual([]);
});

test("no line is wider than the screen, also with wide characters", () => {
  const text = "a word, 漢字かな交じり文をここで折り返す and a-very-long-word-that-has-no-place-to-break-at-all";
  for (const columns of [20, 40, 80]) {
    const lines = wrap(text, columns);
    expect(lines.every((line) => [...line].reduce((sum, one) => sum + (one > "\u2e80" ? 2 : 1), 0) <= columns)).toBe(
      true,
    );
    expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
  }
  expect(wrap("- an item that is long enough to be broken", 20)[1]).toMatch(/^ {2}\S/);
  expect(cutTo("abcdef", 4)).toBe("abc…");
  expect(harmless("a\tb\r\nc")).toBe("a    b\nc");
});

test("diffs of a whole file, of no change, and of too many lines are printed", () => {
  expect(diffLines("", "a\nb\n")).toEqual([
    { sign: "+", text: "a" },
    { sign: "+", text: "b" },
  ]);
  expect(diffLines("same\n", "same\n")).toEqual([]);
  expect(diffLines("x\n".repeat(1000), "y")).toBeNull();
});

test("on a terminal without cursor movement, lines are printed as they arrive", () => {
  const line: StreamItem = { event: "line", data: { line: "plain", stream: "stdout" } };
  const items = [line, busy, piece("x"), event("tool.called@1", { turnId, callId: "c", title: "t" })];
  expect(shown(items, { hasCursor: false, isScreen: false })).toEqual(["plain"]);
});

test("a long message that was streamed is not begun again, and its last line is there", () => {
  const text = `${"a line of many\n".repeat(4)}the end`;
  const data = { turnId, role: "assistant", text: text.slice(0, 20), blob: "b".repeat(64), bytes: text.length };
  const streamed = shown([busy, piece(text.slice(0, 25)), piece(text.slice(25)), event("message.completed@1", data)]);
  expect(streamed).toEqual([...Array.from({ length: 4 }, () => "a line of many"), "the end"]);
  const later = shown([event("message.completed@1", data)], { columns: 200 });
  const all = `… the beginning of ${text.length} bytes; all of it: nomos blob read ${"b".repeat(64)}`;
  expect(later).toEqual(["a line of many", "a lin", all]);
});

test("leaving while a call is under way says no outcome of it", () => {
  const called = event("tool.called@1", {
    turnId,
    callId: "c1",
    title: "Ask: ok?",
    kind: "ask",
    places: [],
    input: null,
  });
  const waits = { ...busy, data: { ...busy.data, waitingFor: "approval" } } as StreamItem;
  expect(shown([busy, called, waits])).toEqual([]);
  expect(shown([called]).join("\n")).toBe("● Ask: ok?\n  … has not ended yet");
});
