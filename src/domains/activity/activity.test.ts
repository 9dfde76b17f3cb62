import { expect, test } from "vitest";
import { activityOf, toolTitle } from "./activity.ts";

test.each([
  ["a tool call: its title", "tool.called@1", { title: "Edit a.ts" }, "Edit a.ts"],
  ["an effect: kind and command", "effect.intended@1", { kind: "run", detail: { command: "ls" } }, "run ls"],
  ["an answer: its last line", "message.completed@1", { role: "assistant", text: "one\ntwo\n" }, "two"],
  ["a thought says nothing", "message.completed@1", { role: "thought", text: "hm" }, null],
  ["a turn began", "turn.started@1", {}, "working"],
  ["a turn ended well: the last line stays", "turn.ended@1", { outcome: "completed" }, null],
  ["a turn ended badly", "turn.ended@1", { outcome: "interrupted" }, "interrupted"],
  ["the session failed", "session.failed@1", { message: "gone" }, "gone"],
  ["a message to the person", "x.note@1", { payload: { text: "the build is red" } }, "✉ the build is red"],
  ["any other event", "todo.replaced@1", { items: [] }, null],
])("%s", (_name, type, data, said) => {
  expect(activityOf({ type, data })).toBe(said);
});

test("a call without a title is named by its kind and target", () => {
  expect(toolTitle({ kind: "write", detail: { path: "a.ts" } })).toBe("write a.ts");
  expect(toolTitle({ detail: { argv: ["git", "status"] } })).toBe("tool git status");
  expect(toolTitle(null)).toBe("tool ");
});
