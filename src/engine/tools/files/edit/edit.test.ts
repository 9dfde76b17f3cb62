import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Called, callTool } from "../../../../../test/engine/call-tool.ts";
import { type WorldHow, worldHere } from "../../../../../test/engine/world-here.ts";
import { type Files, plantTree } from "../../../../../test/support/plant-tree.ts";
import { proves } from "../../../../../test/support/proves.ts";
import { edit } from "./edit.ts";

describe("edits", () => {
  test("several replacements in order, with the diff and the lines", async () => {
    const cwd = await plantTree({ "a.ts": "const a = 1;\nconst b = 2;\nexport { a, b };\n" });
    const edits = [
      { old: "a = 1", new: "a = 10" },
      { old: "const b = 2;\n", new: "" },
      { old: "{ a, b }", new: "{ a }" },
    ];
    const { text, diffs } = await callTool(edit, { path: "a.ts", edits }, worldHere(cwd).context);
    expect(text).toBe("Edited a.ts: 3 replacements (line 1, 2, 2).");
    expect(diffs?.[0]?.after).toBe("const a = 10;\nexport { a };\n");
    expect(await readFile(join(cwd, "a.ts"), "utf8")).toBe("const a = 10;\nexport { a };\n");
  });

  test("one that does not fit leaves the file alone, and says which", async () => {
    const { after, text } = await tryEdits("one\ntwo\n", [
      { old: "one", new: "1" },
      { old: "three", new: "3" },
    ]);
    expect(after).toBe("one\ntwo\n");
    expect(text).toMatch(/^a\.txt was not changed\. Edit 2 of 2: `old` was not found\./);
  });

  proves("LEAK-4", "a mark in the place of a secret: the lines around it can be edited, the secret stays", async () => {
    const mark = "[redacted:vault:0123456789ab]";
    const before = "KEY=hunter2\nPORT=1\n";
    const old = await tryEdits(before, [{ old: `KEY=${mark}\nPORT=1`, new: "PORT=2" }]);
    expect(old.text).toContain("Choose text around it");
    const put = await tryEdits(before, [{ old: "PORT=1", new: `PORT=1\nCOPY=${mark}` }]);
    expect(put.text).toContain("would lose the secret");
    expect([old.after, put.after]).toEqual([before, before]);
    expect((await tryEdits(before, [{ old: "PORT=1", new: "PORT=2" }])).after).toBe("KEY=hunter2\nPORT=2\n");
  });

  test("a text that is there twice is refused with its lines; all replaces each", async () => {
    const before = "x\ny\nx\n";
    const twice = await tryEdits(before, [{ old: "x", new: "z" }]);
    expect(twice.text).toContain("is there 2 times (lines 1, 3). Add more context to make it unique, or set all: true");
    expect(twice.after).toBe(before);
    expect((await tryEdits(before, [{ old: "x", new: "z", all: true }])).after).toBe("z\ny\nz\n");
  });

  test("not found: whitespace, line numbers and similar lines are pointed out", async () => {
    const before = "function one() {\n\treturn 1;\n}\n";
    const blanks = await tryEdits(before, [{ old: "  return 1;", new: "" }]);
    expect(blanks.text).toContain("Lines 2-2 differ from it only in whitespace");
    expect(blanks.text).toContain("2\t\treturn 1;");
    const numbers = await tryEdits(before, [{ old: "1\tfunction one() {\n2\t\treturn 1;", new: "" }]);
    expect(numbers.text).toContain("line numbers that read shows");
    const similar = await tryEdits(before, [{ old: "function once() {", new: "" }]);
    expect(similar.text).toContain("The most similar lines are:\n1\tfunction one() {");
    const none = await tryEdits(before, [{ old: "zebra", new: "" }]);
    expect(none.text).toContain("No line looks like it");
  });

  test("an empty old text and a change to the same are refused", async () => {
    expect((await tryEdits("a", [{ old: "", new: "x" }])).text).toContain("`old` is empty");
    expect((await tryEdits("a", [{ old: "a", new: "a" }])).text).toContain("are the same");
  });

  test("CRLF, mixed line ends, a byte order mark and a missing last line end are kept", async () => {
    const fix = [{ old: "two\nthree", new: "2\n2.5\n3" }];
    expect((await tryEdits("\uFEFFone\r\ntwo\r\nthree", fix)).after).toBe("\uFEFFone\r\n2\r\n2.5\r\n3");
    expect((await tryEdits("one\ntwo\nthree\nfour\r\n", fix)).after).toBe("one\n2\n2.5\n3\nfour\r\n");
    expect((await tryEdits("a\r\nb\nc\r\nd\r\n", [{ old: "b\nc\n", new: "x\n" }])).after).toBe("a\r\nx\r\nd\r\n");
    expect((await tryEdits("a\nb\n", [{ old: "a\r\nb", new: "c\r\nd" }])).after).toBe("c\nd\n");
    expect((await tryEdits("\uFEFFone\n", [{ old: "one", new: "$& $1" }])).after).toBe("\uFEFF$& $1\n");
  });

  test("two parallel edits of one file both survive, under different spellings of its name", async () => {
    const cwd = await plantTree({ "a.txt": Array.from({ length: 20 }, (_, at) => `<${at}>\n`).join("") });
    const { context } = worldHere(cwd);
    const spelled = ["a.txt", "./a.txt", "x/../a.txt", join(cwd, "a.txt")];
    const calls = Array.from({ length: 20 }, (_, at) =>
      callTool(edit, { path: spelled[at % 4], edits: [{ old: `<${at}>`, new: `[${at}]` }] }, context),
    );
    expect((await Promise.all(calls)).map(({ isError }) => isError)).not.toContain(true);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).not.toContain("<");
  });

  test("somebody else changes the file meanwhile: another place is kept, the same place is refused", async () => {
    const cwd = await plantTree({ "a.txt": "one\ntwo\n" });
    const meanwhile = (from: string, to: string): WorldHow => {
      let isOnce = true;
      return {
        beforeWrite: async (path) => {
          if (!isOnce) return;
          isOnce = false;
          await writeFile(join(cwd, path), (await readFile(join(cwd, path), "utf8")).replace(from, to));
        },
      };
    };
    const order = { path: "a.txt", edits: [{ old: "one", new: "1" }] };
    const kept = await callTool(edit, order, worldHere(cwd, meanwhile("two", "2")).context);
    expect(kept.isError).toBe(false);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("1\n2\n");
    const again = { path: "a.txt", edits: [{ old: "1", new: "eins" }] };
    const refused = await callTool(edit, again, worldHere(cwd, meanwhile("1", "uno")).context);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("was not found") });
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("uno\n2\n");
    const always: WorldHow = { beforeWrite: (path) => writeFile(join(cwd, path), `uno ${Math.random()}\n`) };
    const lost = await callTool(
      edit,
      { path: "a.txt", edits: [{ old: "uno", new: "1" }] },
      worldHere(cwd, always).context,
    );
    expect(lost).toMatchObject({
      isError: true,
      text: expect.stringContaining("Read it again, then repeat your change"),
    });
  });

  test("bytes that are no UTF-8, a binary file and a path outside are not edited", async () => {
    const cwd = await plantTree({});
    await writeFile(join(cwd, "latin.txt"), Buffer.from("caf\xe9", "latin1"));
    await writeFile(join(cwd, "a.bin"), "a\0b");
    const { context } = worldHere(cwd);
    const edits = [{ old: "a", new: "b" }];
    for (const [path, says] of [
      ["latin.txt", "not valid UTF-8"],
      ["a.bin", "is a binary file"],
      ["../x", "outside of the session's directory"],
    ]) {
      const { text, isError } = await callTool(edit, { path, edits }, context);
      expect(text).toContain(says);
      expect(isError).toBe(true);
    }
  });
});

describe("patches", () => {
  test("add, update, move and delete in one patch", async () => {
    const cwd = await plantTree({ "a.py": "def f():\n    x = 1\n    return x\n", "b.txt": "b\n", "old/c.txt": "c\n" });
    const patch = [
      "*** Begin Patch",
      "*** Update File: a.py",
      "@@ def f():",
      "-    x = 1",
      "+    x = 2",
      "     return x",
      "*** Add File: new/d.txt",
      "+one",
      "+",
      "*** Delete File: b.txt",
      "*** Update File: old/c.txt",
      "*** Move to: new/c.txt",
      "@@",
      "-c",
      "+C",
      "*** End Patch",
    ].join("\n");
    const { text, isError, diffs } = await callTool(edit, { patch }, worldHere(cwd).context);
    expect(text).toBe(
      "Edited a.py (line 2).\nCreated new/d.txt.\nDeleted b.txt.\nCreated new/c.txt.\nDeleted old/c.txt.",
    );
    expect(isError).toBe(false);
    expect(diffs).toContainEqual({ path: "b.txt", before: "b\n", after: "" });
    expect(await contentsOf(cwd, ["a.py", "new/d.txt", "b.txt", "old/c.txt", "new/c.txt"])).toEqual([
      "def f():\n    x = 2\n    return x\n",
      "one\n\n",
      null,
      null,
      "C\n",
    ]);
  });

  test("a unified diff whose line numbers are off is found by its context", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
    const diff = [
      "diff --git a/a.txt b/a.txt",
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -3,3 +3,3 @@ somewhere",
      " line 10",
      "-line 11",
      "+line eleven",
      " line 12",
      "@@ -30,2 +30,3 @@",
      " line 30",
      "+line 30.5",
      " line 31",
      "",
    ].join("\n");
    const { after, text } = await tryPatch({ "a.txt": `${lines.join("\n")}\n` }, diff);
    expect(text).toBe("Edited a.txt (line 10, 30).");
    expect(after[0]).toBe(
      `${lines.join("\n").replace("line 11", "line eleven").replace("line 31", "line 30.5\nline 31")}\n`,
    );
  });

  test("a unified diff adds and deletes files, and speaks of the last line end", async () => {
    const diff = [
      ...["--- /dev/null", "+++ b/new.txt", "@@ -0,0 +1,2 @@", "+one", "+two", "\\ No newline at end of file"],
      ...["--- a/a.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"],
      ...["--- a/b.txt", "+++ b/b.txt", "@@ -1 +1 @@", "-b", "\\ No newline at end of file", "+B"],
    ].join("\n");
    const { after } = await tryPatch({ "a.txt": "a\n", "b.txt": "b" }, diff, ["new.txt"]);
    expect(after).toEqual([null, "B\n", "one\ntwo"]);
  });

  test("of several places that look alike the nearest to the number is meant; without one it is refused", async () => {
    const file = "a\nx\nb\n".repeat(3);
    const byNumber = await tryPatch({ "a.txt": file }, "--- a/a.txt\n+++ b/a.txt\n@@ -5 +5 @@\n-x\n+y\n");
    expect(byNumber.after[0]).toBe("a\nx\nb\na\ny\nb\na\nx\nb\n");
    const unclear = await tryPatch(
      { "a.txt": file },
      "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch",
    );
    expect(unclear.text).toContain("it fits at lines 2, 5, 8. Add more lines around it");
    expect(unclear.after[0]).toBe(file);
  });

  test("CRLF files and trailing blanks: kept lines stay as they are in the file", async () => {
    const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n*** End Patch";
    const { after } = await tryPatch({ "a.txt": "\uFEFFone  \r\ntwo\r\nthree" }, patch);
    expect(after[0]).toBe("\uFEFFone  \r\n2\r\nthree");
  });

  test("a hunk that does not fit in the second file leaves the first alone", async () => {
    const patch =
      "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+A\n*** Update File: b.txt\n@@\n-nothing like it\n+B\n*** End Patch";
    const { after, text, isError } = await tryPatch({ "a.txt": "a\n", "b.txt": "b\n" }, patch);
    expect(after).toEqual(["a\n", "b\n"]);
    expect(isError).toBe(true);
    expect(text).toMatch(/^b\.txt was not changed\. Hunk 1 of 1 \(line 7 of the patch\): its lines.*No other file/s);
  });

  test("lines are added at the end of a file and after a header", async () => {
    const end = "*** Begin Patch\n*** Update File: a.txt\n@@\n+c\n*** End Patch";
    expect((await tryPatch({ "a.txt": "a\nb" }, end)).after[0]).toBe("a\nb\nc");
    const header = "*** Begin Patch\n*** Update File: a.txt\n@@ a\n+c\n*** End Patch";
    expect((await tryPatch({ "a.txt": "a\nb\n" }, header)).after[0]).toBe("a\nc\nb\n");
  });

  test("what cannot be understood or done says what to send", async () => {
    const files = { "a.txt": "a\n" };
    for (const [patch, says] of [
      ["hello", "The patch changes no file. Write it as `*** Begin Patch`"],
      ["@@ -1 +1 @@\n-a\n+b", "a hunk before the name of its file"],
      ["*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch", "a.txt exists already"],
      ["*** Begin Patch\n*** Add File: b.txt\nx\n*** End Patch", 'each line of the new file b.txt begins with "+"'],
      [
        "*** Begin Patch\n*** Update File: b.txt\n@@\n-x\n+y\n*** End Patch",
        "b.txt does not exist. Did you mean: a.txt?",
      ],
      ["*** Begin Patch\n*** Update File: a.txt\n@@\n?a\n*** End Patch", "must begin with a blank"],
      ["*** Begin Patch\n*** Delete File: ../a.txt\n*** End Patch", "outside of the session's directory"],
      ["*** Begin Patch\n*** Delete File: a.txt\n*** Delete File: a.txt\n*** End Patch", "names a.txt twice"],
    ] as const) {
      const { text, after, isError } = await tryPatch(files, patch);
      expect(text).toContain(says);
      expect(isError).toBe(true);
      expect(after).toEqual(["a\n"]);
    }
  });

  test("refused by a person: the answer says what was not done", async () => {
    const cwd = await plantTree({ "a.txt": "a\n" });
    const patch = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch";
    const { text, isError } = await callTool(edit, { patch }, worldHere(cwd, { refuses: "keep it" }).context);
    expect(text).toMatch(/^Deleting a\.txt was refused: keep it/);
    expect(text).toContain("Not done: a.txt.");
    expect(isError).toBe(true);
  });
});

async function tryEdits(before: string, edits: unknown): Promise<Called & { readonly after: string }> {
  const cwd = await plantTree({ "a.txt": before });
  const called = await callTool(edit, { path: "a.txt", edits }, worldHere(cwd).context);
  return { ...called, after: await readFile(join(cwd, "a.txt"), "utf8") };
}

async function tryPatch(files: Files, patch: string, more: readonly string[] = []) {
  const cwd = await plantTree(files);
  const called = await callTool(edit, { patch }, worldHere(cwd).context);
  return { ...called, after: await contentsOf(cwd, [...Object.keys(files), ...more]) };
}

function contentsOf(cwd: string, paths: readonly string[]): Promise<readonly (string | null)[]> {
  return Promise.all(paths.map((path) => readFile(join(cwd, path), "utf8").catch(() => null)));
}
