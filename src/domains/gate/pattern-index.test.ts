import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { indexPatterns, matchSegment } from "./pattern-index.ts";

const SPECIAL = /[.*+?^${}()|[\]\\]/g;
const letter = fc.constantFrom("a", "b", ".", "é", "(");
const segment = fc.string({ unit: letter, maxLength: 3 });
const glob = fc.string({ unit: fc.oneof(letter, fc.constant("*")), maxLength: 5 });
const resources = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join("/"));
const patterns = fc
  .array(fc.oneof(segment, glob, fc.constantFrom("*", "**")), { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join("/"));

proves("K27", "a segment pattern matches like its regular expression", () => {
  fc.assert(
    fc.property(glob, segment, (given, text) => {
      expect(matchSegment(given, text)).toBe(new RegExp(`^${regexOf(given, ".*")}$`, "s").test(text));
    }),
    { numRuns: 3000 },
  );
});

proves("K27", "the index finds exactly the patterns that a naive matcher finds", () => {
  fc.assert(
    fc.property(fc.array(patterns, { maxLength: 12 }), resources, (given, resource) => {
      const index = indexPatterns(given.map((pattern, value) => ({ pattern, value })));
      const naive = given.flatMap((pattern, n) => (naiveMatch(pattern, resource) ? [n] : []));
      expect([...index.match(resource)].toSorted((a, b) => a - b)).toEqual(naive);
    }),
    { numRuns: 3000 },
  );
});

proves("K27", "two stars match any number of segments, one star exactly one", () => {
  const found = (pattern: string) => (resource: string) =>
    indexPatterns([{ pattern, value: 1 }]).match(resource).length > 0;
  expect(["a", "a/b", "a/b/c", "b"].map(found("a/**"))).toEqual([true, true, true, false]);
  expect(["a", "a/b", "a/b/c", "b"].map(found("a/*"))).toEqual([false, true, false, false]);
  expect(["a/b", "a/x/b", "a/x/y/b", "a/x"].map(found("a/**/b"))).toEqual([true, true, true, false]);
  expect(["src/a.ts", "src/a.js", "src/b/a.ts"].map(found("src/*.ts"))).toEqual([true, false, false]);
});

proves("K27", "what a star has passed is not matched a second time", () => {
  expect(matchSegment("aa*ab", "aab")).toBe(false);
  expect(matchSegment("ab*b", "ab")).toBe(false);
  expect(matchSegment("a*bc*bcd", "abcd")).toBe(false);
  expect(matchSegment("aa*ab", "aaab")).toBe(true);
  expect(matchSegment("a*b*c", "axbxbc")).toBe(true);
});

proves("K27", "a pattern with many double stars costs no more than one with a single double star", () => {
  const pattern = `${"**/a/".repeat(40)}b`;
  const index = indexPatterns([{ pattern, value: "slow" }]);
  expect(index.match("a/".repeat(400))).toEqual([]);
  expect(index.match(`${"a/".repeat(400)}b`)).toEqual(["slow"]);
  expect(matchSegment(`${"*a".repeat(200)}b`, "a".repeat(4000))).toBe(false);
});

/** `**` matches whole segments, each with its slash; so the resource gets a final slash too. */
function naiveMatch(pattern: string, resource: string): boolean {
  const source = pattern.split("/").map((part) => (part === "**" ? "(?:[^/]*/)*" : `${regexOf(part, "[^/]*")}/`));
  return new RegExp(`^${source.join("")}$`).test(`${resource}/`);
}

function regexOf(given: string, star: string): string {
  return given.replace(SPECIAL, (char) => (char === "*" ? star : `\\${char}`));
}
