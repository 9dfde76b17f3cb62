import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { collidingLines } from "./colliding-lines.ts";

test("two changes of one line, a line before a removal, and an end without a newline", () => {
  expect(collidingLines("a\nb\nc\n", "a\nB\nc\n", "a\nX\nc\n")).toEqual([
    { a: { from: 2, to: 2 }, b: { from: 2, to: 2 } },
  ]);
  expect(collidingLines("a\nb\nc\nd\n", "a\nd\n", "a\nb\nC\nd\n")).toEqual([
    { a: { from: 1, to: 1 }, b: { from: 3, to: 3 } },
  ]);
  expect(collidingLines("a\nb\n", "a\nb", "a\nx\n")).toEqual([{ a: { from: 2, to: 2 }, b: { from: 2, to: 2 } }]);
  expect(collidingLines(null, "a\n", "b\n")).toEqual([{ a: { from: 1, to: 1 }, b: { from: 1, to: 1 } }]);
  expect(collidingLines("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")).toEqual([]);
});

test("where git cannot merge, places are told", () => {
  const folder = mkdtempSync(join(tmpdir(), "colliding-lines-"));
  const paths = ["ours", "base", "theirs"].map((name) => join(folder, name));
  const edits = fc.array(fc.tuple(fc.nat(11), fc.constantFrom("change", "remove", "add")), { maxLength: 3 });
  try {
    fc.assert(
      fc.property(edits, edits, (mine, others) => {
        const [base, ours, theirs] = [edited([], ""), edited(mine, "ours"), edited(others, "theirs")];
        [ours, base, theirs].forEach((text, at) => {
          writeFileSync(paths[at] ?? "", text);
        });
        if (!merges(paths)) expect(collidingLines(base, ours, theirs)).not.toEqual([]);
      }),
      { numRuns: 100 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function edited(edits: readonly (readonly [number, string])[], who: string): string {
  const lines = Array.from({ length: 12 }, (_, at) => [`line ${at}`]);
  for (const [at, what] of edits) {
    if (what === "change") lines[at] = [`${who} ${at}`];
    if (what === "remove") lines[at] = [];
    if (what === "add") lines[at] = [...(lines[at] ?? []), `${who} more ${at}`];
  }
  return lines
    .flat()
    .map((line) => `${line}\n`)
    .join("");
}

function merges(paths: readonly string[]): boolean {
  try {
    execFileSync("git", ["merge-file", "-p", ...paths], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
