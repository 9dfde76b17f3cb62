import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callTool } from "../../../../test/engine/call-tool.ts";
import { worldHere } from "../../../../test/engine/world-here.ts";
import { plantTree } from "../../../../test/support/plant-tree.ts";
import { proves } from "../../../../test/support/proves.ts";
import { write } from "./write.ts";

describe("write", () => {
  test("a new file: its directories are made, and the answer says created", async () => {
    const cwd = await plantTree({});
    const { text, diffs } = await callTool(write, { path: "a/b/c.txt", content: "one\ntwo\n" }, worldHere(cwd).context);
    expect(text).toBe("Created a/b/c.txt (2 lines, 8 B).");
    expect(diffs).toEqual([{ path: "a/b/c.txt", before: null, after: "one\ntwo\n" }]);
    expect(await readFile(join(cwd, "a/b/c.txt"), "utf8")).toBe("one\ntwo\n");
  });

  test("a file that exists is replaced, any text goes, and the diff has both", async () => {
    const cwd = await plantTree({ "a.txt": "old" });
    const content = "nul \0 and \u001b[31m";
    const { text, diffs } = await callTool(write, { path: "a.txt", content }, worldHere(cwd).context);
    expect(text).toBe("Replaced a.txt (1 line, 15 B).");
    expect(diffs).toEqual([{ path: "a.txt", before: "old", after: content }]);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe(content);
  });

  proves(
    "LEAK-4",
    "a mark in the place of a secret is not written over the secret; one that the file has already stays",
    async () => {
      const mark = "[redacted:vault:0123456789ab]";
      const cwd = await plantTree({ ".env": "KEY=hunter2\nPORT=1\n", "log.txt": `it said ${mark}\n` });
      const { context } = worldHere(cwd);
      const lost = await callTool(write, { path: ".env", content: `KEY=${mark}\nPORT=2\n` }, context);
      expect(lost).toMatchObject({ isError: true, text: expect.stringContaining("would lose the secret") });
      expect(await readFile(join(cwd, ".env"), "utf8")).toBe("KEY=hunter2\nPORT=1\n");
      const kept = await callTool(write, { path: "log.txt", content: `it said ${mark} twice\n` }, context);
      expect(kept.isError).toBe(false);
    },
  );

  test("outside, over a directory, and refused by a person: errors that say so", async () => {
    const cwd = await plantTree({ "dir/x": "" });
    const { context } = worldHere(cwd);
    const outside = await callTool(write, { path: "../x", content: "" }, context);
    expect(outside).toMatchObject({
      isError: true,
      text: expect.stringContaining("outside of the session's directory"),
    });
    const folder = await callTool(write, { path: "dir", content: "" }, context);
    expect(folder).toMatchObject({ isError: true, text: expect.stringContaining("is not a file") });
    const refused = await callTool(write, { path: "x", content: "" }, worldHere(cwd, { refuses: "not today" }).context);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("was refused: not today") });
  });
});
