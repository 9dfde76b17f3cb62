import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellQuoted } from "./shell-quoted.ts";

test.each([
  "plain/path.txt",
  "two words",
  "it's",
  "$(touch x) `id` $HOME ; rm -rf . & | > < * ? [a] ! # ~",
  "a\nb\tc\u001b]0;t\u0007",
  "back\\slash'\u202eevil\u2028\u{e0041}",
  "",
])("a shell reads %j as one word; hidden characters in it become visible", (word) => {
  const quoted = shellQuoted(word);
  expect(execFileSync("bash", ["-c", `printf %s ${quoted}`], { encoding: "utf8" })).toBe(word);
  expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
});
