import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callTool } from "../../../../test/engine/call-tool.ts";
import { worldHere } from "../../../../test/engine/world-here.ts";
import { plantTree } from "../../../../test/support/plant-tree.ts";
import type { Reply } from "../../../turns/index.ts";
import { artifact } from "./artifact.ts";
import { askUser } from "./ask-user.ts";
import { todo } from "./todo.ts";

describe("todo", () => {
  test("replaces the list, and reads it", async () => {
    const { context } = worldHere(await plantTree({}));
    expect((await callTool(todo, {}, context)).text).toBe("The todo list is empty.");
    const items = [
      { text: "look", status: "done" },
      { text: "fix\nit", status: "active" },
      { content: "test", status: "pending" },
    ];
    await callTool(todo, { items }, context);
    expect((await callTool(todo, {}, context)).text).toBe("Todo list (1 of 3 done):\n[x] look\n[>] fix it\n[ ] test");
    await callTool(todo, { items: [] }, context);
    expect(await context.world.todoNow()).toEqual([]);
  });

  test("two sessions have two lists", async () => {
    const [one, other] = [worldHere(await plantTree({})), worldHere(await plantTree({}))];
    await callTool(todo, { items: [{ text: "x", status: "open" }] }, one.context);
    expect(await other.world.todoNow()).toEqual([]);
  });
});

describe("ask_user", () => {
  test.each<[Reply, string]>([
    [{ approved: true, option: "blue" }, "The user chose: blue"],
    [{ approved: true, option: null }, "The user said yes."],
    [{ approved: false, reason: null }, "The user said no, without a reason."],
    [
      { approved: false, reason: "too late", isSaid: true },
      "The user said no, or something else, in these words: too late",
    ],
    [{ approved: false, reason: "nobody is there" }, "The question was declined: nobody is there"],
  ])("%j is an answer, no error", async (reply, says) => {
    const { context } = worldHere(await plantTree({}), { reply });
    const { text, isError } = await callTool(askUser, { question: "Which?", options: ["blue", "red"] }, context);
    expect({ text, isError }).toEqual({ text: says, isError: false });
  });
});

describe("artifact", () => {
  test("a text, and the bytes of a file; a name that exists gets a new version", async () => {
    const cwd = await plantTree({});
    const bytes = Buffer.from([0, 255, 1]);
    await writeFile(join(cwd, "x.bin"), bytes);
    const { context, artifacts } = worldHere(cwd);
    const first = await callTool(artifact, { name: "report.md", content: "# ä" }, context);
    expect(first.text).toBe("Stored report.md as version 1 (text/markdown, 4 B, id a-report.md).");
    expect((await callTool(artifact, { name: "report.md", content: "2" }, context)).text).toContain("version 2");
    await callTool(artifact, { name: "x", path: "x.bin" }, context);
    expect(artifacts.at(-1)).toEqual({ path: "x", bytes, mediaType: "application/octet-stream" });
  });

  test("more than 16 MB, a missing file and a path outside are errors", async () => {
    const cwd = await plantTree({});
    await writeFile(join(cwd, "large"), Buffer.alloc(16_777_217));
    const { context, artifacts } = worldHere(cwd);
    for (const [path, says] of [
      ["large", "an artifact may have 16.0 MB"],
      ["missing", "does not exist"],
      ["/etc/passwd", "outside"],
    ]) {
      const { text, isError } = await callTool(artifact, { name: "x", path }, context);
      expect(text).toContain(says);
      expect(isError).toBe(true);
    }
    expect(artifacts).toEqual([]);
  });
});
