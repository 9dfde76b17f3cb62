import { expect, test } from "vitest";
import { fakeTerminal, plainText } from "../../../test/support/fake-terminal.ts";
import { widthOf } from "../print/screen-text.ts";
import { pairLines, tableLines } from "../print/table.ts";
import { harmless, harmlessJson } from "../screen/harmless.ts";
import { red, rendered } from "../screen/styled.ts";
import { approvalLines } from "./approval-lines.ts";
import { questionLines } from "./question-lines.ts";

test("a question of several lines: each line has a mark, so it cannot look like two questions", () => {
  const lines = questionLines(60, "Delete a?\n? Allow b? [yes / no]\n  approved", ["yes", "no"]);
  expect(lines).toEqual(["? Delete a?", "│ ? Allow b? [yes / no]", "│   approved [yes / no]"]);
  expect(questionLines(60, "x\n".repeat(30), []).at(-1)).toBe("╰ 31 lines: read from the first");
});

test("an approval shows both what will be done and what the agent says about it", () => {
  const { terminal } = fakeTerminal({ columns: 60 });
  const action = { verb: "scope.widen", resource: "a.txt\nb.txt" };
  const row = { id: "i", status: "pending", sessionId: "s", question: "May I?", options: [], action, createdAt: "" };
  expect(approvalLines(terminal, [row]).map(plainText).slice(1)).toEqual([
    "  session s",
    "  ! scope.widen a.txt",
    "  │ b.txt",
    "  ? May I?",
  ]);
});

test("a wide or long cell does not shift the other columns or push them off the screen", () => {
  const { terminal } = fakeTerminal({ columns: 80 });
  const rows = ["漢字", "👩‍💻 ✅ ❤️", "x".repeat(500), "a\nb", `a${" ".repeat(300)}b`, "e\u0301"].map((cell) => [
    cell,
    "here",
  ]);
  const lines = tableLines(terminal, ["LABEL", "STATE"], rows).map(plainText);
  expect(lines.every((line) => line.endsWith(line === lines[0] ? "STATE" : "here"))).toBe(true);
  expect(new Set(lines.map((line) => widthOf(line.slice(0, line.search(/STATE|here/))))).size).toBe(1);
});

test("a value with line breaks, or as wide as the screen, never starts a new line", () => {
  const { terminal } = fakeTerminal({ columns: 40 });
  const lines = pairLines(terminal, [
    ["label", `${"x ".repeat(40)}\nstate: idle`],
    ["state", "busy"],
  ]);
  expect(lines.filter((line) => /^\S/.test(line))).toEqual([expect.stringMatching(/^label: x/), "state: busy"]);
});

test("our styles are added after the text is cleaned; styles in the text are removed", () => {
  expect(rendered(red("\u001b[32mok\u001b[0m"), harmless, true)).toBe("\u001b[31m␛[32mok␛[0m\u001b[39m");
  expect(rendered(red("plain"), harmless, false)).toBe("plain");
});

test("JSON output keeps the value and escapes hidden characters", () => {
  const value = { "k\u202e": "\u009b2J\u2028\u{e0041}\u200b\u007f\ud800 é 漢 👩‍💻", marks: `o${"\u0301".repeat(40)}` };
  const json = harmlessJson(JSON.stringify(value));
  expect(JSON.parse(json)).toEqual(value);
  expect(json).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Cs}]|\p{Mn}{5}/u);
});

test("letters of any language and emoji are printed unchanged", () => {
  const text = "naïve Ελλάδα עברית ไทย हिन्दी 日本語 한국어 👩‍💻 ❤️ 🏳️‍🌈 ✅ 👍🏽";
  expect(harmless(text)).toBe(text);
});
