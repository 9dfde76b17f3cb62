import { expect, test } from "vitest";
import { splitWords } from "./split-words.ts";

test.each([
  ["npm test", ["npm", "test"]],
  ["  a   b  ", ["a", "b"]],
  ["", []],
  [`gh pr create --title 'it'\\''s $HOME' --fill`, ["gh", "pr", "create", "--title", "it's $HOME", "--fill"]],
  [`a "b \\"c\\" \\n" ''`, ["a", 'b "c" \\n', ""]],
  ["a\\ b; rm -rf /", ["a b;", "rm", "-rf", "/"]],
])("%j is split as a shell does, and nothing in it is expanded", (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

test.each([`'open`, `a "b`])("an open quote is no command: %j", (line) => {
  expect(splitWords(line)).toBeNull();
});
