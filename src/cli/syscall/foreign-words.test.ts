import { expect, test } from "vitest";
import { isEveryday } from "../everyday.ts";
import { findSyscall } from "./find-syscall.ts";
import { FOREIGN, sameVerb } from "./foreign-words.ts";
import { unknownCommand } from "./unknown-command.ts";

test("a hint for a foreign word names only commands that exist", () => {
  const named = Object.values(FOREIGN).flatMap((hint) =>
    [...hint.matchAll(/`nomos ([a-z]+)(?: ([a-z]+))?/g)].map(([, first = "", second = ""]) => [first, second]),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(
    named.filter(([first = "", second = ""]) => !isEveryday(first) && findSyscall([first, second]) === null),
  ).toEqual([]);
});

test.each([
  ["stop", "nomos kill SESSION"],
  ["ls", "nomos ps"],
  ["exec", 'nomos run "prompt"'],
  ["login", "nomos driver check"],
])("%s is answered with %s", (word, meant) => {
  expect(unknownCommand([word])).toMatchObject({ code: "usage", remedy: expect.stringContaining(meant) });
});

test.each([
  [["session", "ls"], "nomos session list"],
  [["agent", "rm"], "nomos agent delete"],
  [["workspace", "delete"], "nomos workspace remove"],
  [["driver", "new"], "nomos driver add"],
  [["session", "stop"], "nomos session kill"],
  [["session", "promtp"], "nomos session prompt"],
])("%j is answered with %s", (words, meant) => {
  expect(unknownCommand(words).remedy).toBe(`Did you mean \`${meant}\`?`);
});

test("a verb that means nothing else has no counterpart", () => {
  expect(sameVerb("dance", ["list", "show"])).toBe(null);
});
