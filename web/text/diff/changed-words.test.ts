import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changedWords, type Range } from "./changed-words.ts";
import { markedPieces } from "./line-pieces.ts";

describe("two variants of a line", () => {
  test.each([
    ["const a = 1;", "const b = 1;", ["a"], ["b"]],
    ["return value;", "return value + 1;", [], [" + 1"]],
    ["f(a, b)", "f(b, a)", ["a", "b"], ["b", "a"]],
    ["same", "same", [], []],
    ["  if (isOpen) {", "  if (!isOpen) {", [], ["!"]],
  ])("%s -> %s", (old, now, gone, added) => {
    const found = changedWords(old, now);
    expect(found?.old.map((range) => cut(old, range))).toEqual(gone);
    expect(found?.now.map((range) => cut(now, range))).toEqual(added);
  });

  test("lines that have little in common are not compared", () => {
    expect(changedWords("import x from 'y';", "// nothing of the kind")).toBeNull();
    expect(changedWords("a".repeat(3000), "a".repeat(3001))).toBeNull();
    expect(changedWords("a ".repeat(500), "a ".repeat(501))).toBeNull();
  });
});

test("what is left of both lines without the changes is the same, blanks aside", () => {
  const line = fc.array(fc.constantFrom("a", "b", " ", "(", "é", "👨", "\u202e")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(line, line, (old, now) => {
      const found = changedWords(old, now);
      if (found === null) return;
      expect(without(old, found.old).replace(/\s/g, "")).toBe(without(now, found.now).replace(/\s/g, ""));
    }),
  );
});

test("pieces cut at changed words are the line", () => {
  const pieces = fc.array(fc.tuple(fc.constantFrom("", "keyword"), fc.string({ minLength: 1 })));
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(30)), (line, borders) => {
      const sorted = [...new Set(borders)].sort((a, b) => a - b);
      const ranges: Range[] = [];
      for (let at = 0; at + 1 < sorted.length; at += 2) ranges.push([sorted[at] ?? 0, sorted[at + 1] ?? 0]);
      const whole = line.map(([, text]) => text).join("");
      const marked = markedPieces(line, ranges);
      expect(marked.map(({ text }) => text).join("")).toBe(whole);
      const changed = marked.map(({ text, isChanged }) => (isChanged ? "x" : ".").repeat(text.length)).join("");
      expect(changed).toBe(dots(whole.length, ranges));
    }),
  );
});

function dots(length: number, ranges: readonly Range[]): string {
  return Array.from({ length }, (_, at) => (ranges.some(([from, to]) => from <= at && at < to) ? "x" : ".")).join("");
}

function cut(line: string, [from, to]: Range): string {
  return line.slice(from, to);
}

function without(line: string, ranges: readonly Range[]): string {
  return [...ranges].reverse().reduce((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), line);
}
