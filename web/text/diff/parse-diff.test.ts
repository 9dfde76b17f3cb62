import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unifiedDiff } from "../../../src/host/index.ts";
import { shownDiff } from "../../../src/turns/permission/shown-diff.ts";
import { proves } from "../../../test/support/proves.ts";
import { linesIn, rowsOf } from "./diff-rows.ts";
import { type DiffFile, parseDiff } from "./parse-diff.ts";

const SIMPLE = "--- a/x.ts\n+++ b/x.ts\n@@ -1,3 +1,4 @@ function f() {\n a\n-b\n+B\n+C\n c\n";

describe("a unified diff", () => {
  test("lines have their signs and numbers", () => {
    const { files, cutLines } = parseDiff(SIMPLE);
    expect(cutLines).toBe(0);
    expect(files).toHaveLength(1);
    expect(files[0]).toMatchObject({ oldPath: "x.ts", newPath: "x.ts", notes: [] });
    expect(files[0]?.hunks[0]?.heading).toBe("function f() {");
    expect(numbered(files[0])).toEqual(["1 1  a", "2 . -b", ". 2 +B", ". 3 +C", "3 4  c"]);
  });

  test("a new file, a deleted file", () => {
    const { files } = parseDiff(
      "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
    );
    expect(files.map(({ oldPath, newPath }) => [oldPath, newPath])).toEqual([
      [null, "new"],
      ["old", null],
    ]);
  });

  test("lines that look like names are lines", () => {
    const { files } = parseDiff("--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ a counter\n b\n");
    expect(files).toHaveLength(1);
    expect(numbered(files[0])).toEqual(["1 . --- a comment", ". 1 +++ a counter", "2 2  b"]);
  });

  test("a line without a line feed at the end", () => {
    const { files } = parseDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n");
    expect(files[0]?.hunks[0]?.lines.map(({ endsBare }) => endsBare ?? false)).toEqual([true, false]);
  });

  test("a diff that was cut says how much is missing", () => {
    const { files, cutLines } = parseDiff("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n\\ 123 more lines are not shown\n");
    expect(cutLines).toBe(123);
    expect(numbered(files[0])).toEqual(["1 1  a"]);
  });

  test("git's own: renames, modes, binary files, quoted names", () => {
    const { files } = parseDiff(
      [
        "diff --git a/old name b/new name\nsimilarity index 90%\nrename from old name\nrename to new name",
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755",
        "diff --git a/a.png b/a.png\nindex 1..2 100644\nBinary files a/a.png and b/a.png differ",
        'diff --git "a/gr\\303\\274n \\"q\\"" "b/gr\\303\\274n \\"q\\""\nnew file mode 100644\n--- /dev/null\n+++ "b/gr\\303\\274n \\"q\\""\n@@ -0,0 +1 @@\n+x',
        "diff --git a/gone b/gone\ndeleted file mode 100644",
      ].join("\n"),
    );
    expect(
      files.map(({ oldPath, newPath, oldMode, newMode, isBinary }) => ({
        oldPath,
        newPath,
        oldMode,
        newMode,
        isBinary,
      })),
    ).toEqual([
      { oldPath: "old name", newPath: "new name", oldMode: null, newMode: null, isBinary: false },
      { oldPath: "run.sh", newPath: "run.sh", oldMode: "100644", newMode: "100755", isBinary: false },
      { oldPath: "a.png", newPath: "a.png", oldMode: null, newMode: null, isBinary: true },
      { oldPath: null, newPath: 'grün "q"', oldMode: null, newMode: "100644", isBinary: false },
      { oldPath: "gone", newPath: null, oldMode: "100644", newMode: null, isBinary: false },
    ]);
  });

  test("text that is no diff is shown as a note", () => {
    expect(parseDiff("this is\nno diff\n").files).toMatchObject([{ notes: ["this is", "no diff"], hunks: [] }]);
    expect(parseDiff("").files).toEqual([]);
  });

  test("more lines than the hunk says are lines all the same", () => {
    const { files } = parseDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+hidden\n");
    expect(numbered(files[0])).toEqual(["1 . -a", ". 1 +b", ". 2 +hidden"]);
  });
});

const LINE = fc
  .constantFrom(..."+-  \\@".split(""))
  .chain((sign) => fc.string().map((text) => `${sign}${text.replaceAll("\n", "")}`));
const PATCH = fc.oneof(
  fc
    .array(
      fc.oneof(
        LINE,
        fc.constantFrom(
          "--- a/x",
          "+++ b/x",
          "@@ -1,5 +1,5 @@",
          "diff --git a/x b/x",
          "old mode 1",
          "\\ 5 more lines are not shown",
          "",
        ),
      ),
    )
    .map((lines) => lines.join("\n")),
  fc.string({ unit: "binary" }),
);

describe("any text", () => {
  proves("TX-4", "our own diffs are read as they were meant: each line with its number in both files", () => {
    const file = fc
      .array(fc.constantFrom("a", "b", "-- c", "++ d", "@@ -1 +1 @@", "", " e", "\\ f", "diff --git x y"))
      .map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(file, file, (before, after) => {
        const patch = unifiedDiff(before, after, "a/x", "b/x");
        const lines = parseDiff(patch ?? "").files.flatMap(({ hunks, notes }) => [
          ...hunks.flatMap((hunk) => hunk.lines),
          ...notes.map((note) => expect.unreachable(note)),
        ]);
        const [old, now] = [before.split("\n"), after.split("\n")];
        for (const { sign, text, oldNumber, newNumber } of lines) {
          if (sign !== "+") expect(text).toBe(old[(oldNumber ?? 0) - 1]);
          if (sign !== "-") expect(text).toBe(now[(newNumber ?? 0) - 1]);
        }
        const left = old.filter((_, at) => !lines.some(({ sign, oldNumber }) => sign === "-" && oldNumber === at + 1));
        const kept = now.filter((_, at) => !lines.some(({ sign, newNumber }) => sign === "+" && newNumber === at + 1));
        expect(left.filter((line) => line !== "")).toEqual(kept.filter((line) => line !== ""));
      }),
      { numRuns: 300 },
    );
  });

  proves("TX-4", "a diff that was cut: what is shown and what is missing are all lines", () => {
    const after = Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join("\n");
    const { files, cutLines } = parseDiff(shownDiff("x", null, `${after}\n`));
    expect((files[0]?.hunks[0]?.lines.length ?? 0) + cutLines).toBe(20_000);
  });

  test("every added and removed line of a hunk is there, with its text", () => {
    const lines = fc.array(
      fc.tuple(
        fc.constantFrom("+", "-", " "),
        fc.string().map((text) => text.replaceAll("\n", "")),
      ),
    );
    fc.assert(
      fc.property(lines, (body) => {
        const [old, now] = [body.filter(([sign]) => sign !== "+").length, body.filter(([sign]) => sign !== "-").length];
        const patch = `--- a/x\n+++ b/x\n@@ -1,${old} +1,${now} @@\n${body.map((line) => `${line.join("")}\n`).join("")}`;
        const shown = parseDiff(patch).files[0]?.hunks[0]?.lines ?? [];
        expect(shown.map(({ sign, text }) => [sign, text])).toEqual(body);
      }),
    );
  });

  proves("TX-4", "rows shown and hidden add up to all lines", () => {
    fc.assert(
      fc.property(PATCH, fc.boolean(), (patch, sideBySide) => {
        for (const file of parseDiff(patch).files) {
          const all = file.hunks.flatMap(({ lines }) => lines);
          const rows = rowsOf(file, { sideBySide, opened: new Set() });
          expect(rows.reduce((sum, row) => sum + linesIn(row), 0)).toBe(all.length);
          const folds = rows.flatMap((row) => (row.is === "fold" ? [row] : []));
          expect(folds.every(({ lines }) => lines.every(({ sign }) => sign === " "))).toBe(true);
          const opened = rowsOf(file, { sideBySide, opened: new Set(folds.map(({ key }) => key)) });
          expect(opened.some(({ is }) => is === "fold")).toBe(false);
        }
      }),
    );
  });

  test("every line of the input is a line, a note, or about a file", () => {
    fc.assert(
      fc.property(PATCH, (patch) => {
        const { files } = parseDiff(patch);
        const shown = files.flatMap(({ notes, hunks }) => [
          ...notes,
          ...hunks.flatMap(({ lines }) => lines.map(({ sign, text }) => `${sign}${text}`)),
        ]);
        const added = patch.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++ "));
        for (const line of added) expect(shown).toContain(line);
      }),
    );
  });
});

describe("folds", () => {
  const context = (count: number, from: number) =>
    Array.from({ length: count }, (_, at) => ` line ${from + at}`).join("\n");

  test("long context between changes is folded, three lines stay on each side", () => {
    const { files } = parseDiff(`--- a/x\n+++ b/x\n@@ -1,22 +1,22 @@\n-a\n+b\n${context(20, 2)}\n-c\n+d\n`);
    const rows = files[0] === undefined ? [] : rowsOf(files[0], { sideBySide: false, opened: new Set() });
    expect(rows.map((row) => (row.is === "fold" ? `fold ${row.lines.length}` : row.is))).toEqual([
      ...["heading", "line", "line", "line", "line", "line", "fold 14", "line", "line", "line", "line", "line"],
    ]);
  });

  test("side by side, removed and added lines stand beside each other", () => {
    const { files } = parseDiff(SIMPLE);
    const rows = files[0] === undefined ? [] : rowsOf(files[0], { sideBySide: true, opened: new Set() });
    expect(rows.flatMap((row) => (row.is === "pair" ? [[row.old?.text ?? null, row.now?.text ?? null]] : []))).toEqual([
      ["a", "a"],
      ["b", "B"],
      [null, "C"],
      ["c", "c"],
    ]);
  });
});

test.each([
  ["a line of ten megabytes", `--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+${"x".repeat(10_000_000)}\n`],
  ["many files", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".repeat(20_000)],
  ["many lines", `--- a/x\n+++ b/x\n@@ -0,0 +1,150000 @@\n${"+a\n".repeat(150_000)}`],
  ["a long quoted name", `--- "a/${"x".repeat(1_000_000)}"\n+++ "b/x"\n@@ -1 +1 @@\n-a\n+b\n`],
  ["many headers", "diff --git a b\n".repeat(100_000)],
  ["blanks in names", `diff --git ${"a ".repeat(500_000)}\n`],
  ["quotes", `diff --git ${'"\\"'.repeat(100_000)}\n`],
  ["words", `diff --git a b\n${"a ".repeat(500_000)}\n`],
])("a patch that is meant to take long: %s", (_name, patch) => {
  const { files } = parseDiff(patch);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files.slice(0, 10))
    for (const sideBySide of [false, true]) expect(rowsOf(file, { sideBySide, opened: new Set() })).toBeDefined();
});

function numbered(file: DiffFile | undefined): readonly string[] {
  const lines = file?.hunks.flatMap((hunk) => hunk.lines) ?? [];
  return lines.map(({ sign, text, oldNumber, newNumber }) => `${oldNumber ?? "."} ${newNumber ?? "."} ${sign}${text}`);
}
