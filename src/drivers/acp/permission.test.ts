import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { LIMITS } from "../../kernel/index.ts";
import type { Wish } from "../../turns/index.ts";
import { createPermissions } from "./permission.ts";

async function questionFor(toolCall: object): Promise<string> {
  return (await wishFor(toolCall))?.question ?? "nothing was asked";
}

async function wishFor(toolCall: object): Promise<Wish | undefined> {
  const wishes: Wish[] = [];
  const permit = async (wish: Wish) => {
    wishes.push(wish);
    return { approved: false, reason: null } as const;
  };
  const answer = createPermissions(
    { permit, spec: { cwd: "/srv/app" } },
    { toolAsked: async (call) => call },
    () => undefined,
    () => undefined,
  );
  await answer({ toolCall, options: [{ optionId: "a", name: "Allow", kind: "allow_once" }] });
  return wishes[0];
}

proves("T11", "a permission request shows in full what the agent will do, whatever its title says", async () => {
  const call = { toolCallId: "1", kind: "execute" };
  const command = `echo ${"word ".repeat(1000)}; rm -rf x`;
  expect(await questionFor({ ...call, title: "List files", rawInput: { command } })).toContain(`\n${command}`);
  const quiet = { ...call, title: "Do not run rm -rf x", rawInput: { command: "rm -rf x" } };
  expect(await questionFor(quiet)).toBe("May the agent: Do not run rm -rf x?\nrm -rf x");
  expect(await questionFor({ ...call, title: "rm -rf x", rawInput: { command: "rm -rf x" } })).toBe(
    "May the agent: rm -rf x?",
  );
  const words = { ...call, title: "Say", rawInput: { command: ["sh", "-c", "rm -rf 'a b'"] } };
  expect(await questionFor(words)).toContain(`"sh" "-c" "rm -rf 'a b'"`);
  expect(await questionFor({ ...call, kind: "fetch", title: "Look up", rawInput: { url: "http://evil" } })).toContain(
    '{"url":"http://evil"}',
  );
  const long = await questionFor({ ...call, title: "Look up", rawInput: { body: "x".repeat(5000) } });
  expect(long).toMatch(/\[1011 more characters are not shown\]$/);
});

proves("T11", "a permission request brings its command, its path and its diff, as the agents tell them", async () => {
  const call = { toolCallId: "1", title: "Edit" };
  const detailFor = async (toolCall: object) => (await wishFor({ ...call, ...toolCall }))?.detail;
  expect(await detailFor({ kind: "execute", rawInput: { command: ["rm", "-r", "x"] } })).toEqual({
    command: "rm -r x",
  });
  const diff = { type: "diff", path: "/srv/app/a.txt", oldText: "one\ntwo\n", newText: "one\n2\n" };
  const shown = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
  expect(await detailFor({ kind: "edit", content: [diff] })).toEqual({ path: "a.txt", diff: shown });
  const fresh = { type: "diff", path: "/etc/b.txt", newText: "new\n" };
  expect(await detailFor({ kind: "edit", content: [diff, fresh] })).toEqual({
    path: "a.txt",
    diff: `${shown}--- /dev/null\n+++ b//etc/b.txt\n@@ -0,0 +1 @@\n+new\n`,
  });
  const edit = { file_path: "/srv/app/a.txt", old_string: "two\n", new_string: "2\n" };
  expect(await detailFor({ kind: "edit", rawInput: edit })).toEqual({
    path: "a.txt",
    diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+2\n",
  });
  expect(await detailFor({ kind: "edit", rawInput: { filePath: "c", content: "x" } })).toEqual({
    path: "c",
    diff: "--- /dev/null\n+++ b/c\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
  });
  expect(await detailFor({ kind: "edit", rawInput: { filepath: "/srv/app/d", diff: "@@ own @@\n" } })).toEqual({
    path: "d",
    diff: "@@ own @@\n",
  });
  expect(await detailFor({ kind: "read", locations: [{ path: "/srv/app/e" }] })).toEqual({ path: "e" });
  expect(await detailFor({ kind: "other", rawInput: { content: "x" } })).toBeUndefined();
});

proves("T11", "a diff beyond the limit is cut after a line, and its last line says how many are missing", async () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}`);
  const content = [{ type: "diff", path: "/srv/app/big", newText: `${lines.join("\n")}\n` }];
  const detail = (await wishFor({ toolCallId: "1", title: "Write", kind: "edit", content }))?.detail;
  const kept = detail?.diff?.split("\n") ?? [];
  expect(detail?.diff?.length).toBeLessThanOrEqual(LIMITS.diffChars);
  expect(kept.at(-1)).toBe("");
  expect(kept.at(-2)).toBe(`\\ ${20_000 + 3 - (kept.length - 2)} more lines are not shown`);
  expect(kept.at(-3)).toBe(`+${lines[kept.length - 6]}`);
  const oneLine = [{ type: "diff", path: "/srv/app/big", newText: "x".repeat(3_000_000) }];
  const long = (await wishFor({ toolCallId: "1", title: "Write", kind: "edit", content: oneLine }))?.detail?.diff;
  expect(long?.length).toBeLessThanOrEqual(LIMITS.diffChars);
  expect(long).toMatch(/more lines are not shown\n$/);
});
