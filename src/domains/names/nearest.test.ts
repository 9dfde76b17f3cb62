import { expect, test } from "vitest";
import { didYouMean, nearest } from "./nearest.ts";

const NAMES = ["claude", "codex", "opencode", "demo"];

test.each([
  ["claud", "claude"],
  ["cluade", "claude"],
  ["opncode", "opencode"],
  ["code", "codex"],
])("%s is taken for %s", (given, meant) => {
  expect(nearest(given, NAMES)).toBe(meant);
  expect(didYouMean(given, NAMES)).toBe(` Did you mean \`${meant}\`?`);
});

test("a word that resembles none has no nearest, and no question is asked", () => {
  expect(nearest("kubernetes", NAMES)).toBe(null);
  expect(didYouMean("kubernetes", NAMES)).toBe("");
});
