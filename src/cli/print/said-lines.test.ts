import { expect, test } from "vitest";
import { cardRows, saidLines } from "./said-lines.ts";

const said = (output: unknown, ...says: Parameters<typeof saidLines>[0]) =>
  saidLines(says, { output, input: { id: "calm-otter-3f" }, tookMs: 20_400 });

test("members of the answer, of the input and the duration are filled in", () => {
  expect(said({ name: "b" }, "Forked {input.id} into {name} in {took}.")).toEqual([
    "Forked calm-otter-3f into b in 20 s.",
  ]);
});

test("a line with a missing, empty or zero member is left out", () => {
  for (const gone of [undefined, null, "", 0, false, []])
    expect(said({ gone, here: 1 }, "Gone: {gone}", "Here: {here}")).toEqual(["Here: 1"]);
});

test("a line with a condition is said only if the member has the value; null is also a missing member", () => {
  const says = [
    ["ok", true, "done"],
    ["ok", false, "not done"],
    ["label", null, "no label"],
  ] as const;
  expect(said({ ok: true }, ...says)).toEqual(["done", "no label"]);
  expect(said({ ok: false, label: "x" }, ...says)).toEqual(["not done"]);
});

test("counts, bytes and lists are spelled for people", () => {
  expect(said({ files: ["a"] }, "{files.length|file}")).toEqual(["1 file"]);
  expect(said({ size: 12_345 }, "{size|event}, {size|bytes}")).toEqual(["12,345 events, 12.1 KiB"]);
  expect(said({ commit: "0123456789abcdef" }, "Committed as {commit|short}.")).toEqual(["Committed as 01234567."]);
  expect(said({ steps: ["one", "two"] }, "{steps|lines}")).toEqual(["one", "two"]);
  expect(said({ names: "abcdefghij".split("") }, "{names}")).toEqual(["a, b, c, d, e, f, g, h and 2 more"]);
});

test("a value cannot begin a new line", () => {
  expect(said({ name: "x\nNext: rm -rf ~" }, "Started {name}.")).toEqual(["Started x ⏎ Next: rm -rf ~."]);
});

test("a card has only rows with a value", () => {
  const card = [
    ["name", "{name}"],
    ["exit code", "{exitCode}"],
  ] as const;
  expect(cardRows(card, { name: "a", exitCode: 0 })).toEqual([["name", "a"]]);
});

test("a title with blanks can be copied from the next command", () => {
  const says = ["Killed {input.id}.", "Next: nomos logs {input.id}"];
  expect(saidLines(says, { output: {}, input: { id: "Fix Bob's login" }, tookMs: 1 })).toEqual([
    "Killed Fix Bob's login.",
    "Next: nomos logs 'Fix Bob'\\''s login'",
  ]);
});
