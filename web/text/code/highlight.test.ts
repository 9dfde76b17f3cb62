import fc from "fast-check";
import { common } from "lowlight";
import { describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../../test/fixtures/hostile-texts.ts";
import { createHighlighter } from "./highlight.ts";
import { grammarNamed, grammarOfFile } from "./languages.ts";

const highlight = createHighlighter();
const SHORT = Object.values(HOSTILE_TEXTS).filter(({ length }) => length < 1_000);

test("code becomes lines of pieces with their kinds", () => {
  expect(highlight("const a = 'x';\n// end", "typescript")).toEqual([
    [
      ["keyword", "const"],
      ["", " a = "],
      ["string", "'x'"],
      ["", ";"],
    ],
    [["comment", "// end"]],
  ]);
});

test("the pieces joined are the text, whatever it is", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...SHORT));
  const grammar = fc.constantFrom("typescript", "bash", "python", "xml", "markdown", "json", "no such");
  fc.assert(
    fc.property(text, grammar, (source, name) => {
      const lines = highlight(source, name);
      expect(lines.map((line) => line.map(([, piece]) => piece).join("")).join("\n")).toBe(source);
      for (const [kind] of lines.flat()) expect(kind).toMatch(/^[a-z_-]*$/);
    }),
    { numRuns: 30 },
  );
});

test("a very long line has one piece", () => {
  expect(highlight(`const a = [${"1,".repeat(5000)}];`, "typescript")[0]).toHaveLength(1);
});

describe("languages", () => {
  test.each([
    ["ts", "typescript"],
    ["TypeScript", "typescript"],
    ['js title="x"', "javascript"],
    ["sh", "bash"],
    ["html", "xml"],
    ["c++", "cpp"],
    ["", null],
    ["no such", null],
    ["constructor", null],
    ["__proto__", null],
  ])("the name %j is %s", (name, grammar) => {
    expect(grammarNamed(name)).toBe(grammar);
  });

  test.each([
    ["src/a.test.ts", "typescript"],
    ["Makefile", "makefile"],
    ["web/index.html", "xml"],
    ["README", null],
    ["a.constructor", null],
    ["constructor", null],
    [".bashrc", "bash"],
    ["Cargo.toml", "ini"],
  ])("the file %s is %s", (path, grammar) => {
    expect(grammarOfFile(path)).toBe(grammar);
  });

  test("every grammar exists", () => {
    for (const name of [
      "ts",
      "py",
      "rs",
      "go",
      "yml",
      "md",
      "rb",
      "kt",
      "cs",
      "toml",
      "diff",
      "gql",
      "console",
      "wat",
      "m",
    ])
      expect(Object.keys(common)).toContain(grammarNamed(name));
  });
});
