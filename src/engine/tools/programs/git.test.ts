import { execFileSync } from "node:child_process";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Called, callTool } from "../../../../test/engine/call-tool.ts";
import { type WorldHow, worldHere } from "../../../../test/engine/world-here.ts";
import { type Files, plantTree } from "../../../../test/support/plant-tree.ts";
import { parseInput } from "../input/parse-input.ts";
import { git } from "./git.ts";

/** Who commits, and nothing of this machine's configuration. */
const ENV = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
};

describe("git", () => {
  test("status, diff, log and show", async () => {
    const { cwd, call } = await repository({ "a.txt": "one\n" });
    await writeFile(join(cwd, "a.txt"), "two\n");
    await writeFile(join(cwd, "new\nname"), "");
    expect((await call({ action: "status" })).text).toBe('## main\n M a.txt\n?? "new\\nname"');
    expect((await call({ action: "diff" })).text).toMatch(/\n-one\n\+two$/);
    expect((await call({ action: "diff", staged: true })).text).toBe("No differences.");
    expect((await call({ action: "log" })).text).toMatch(/^[0-9a-f]{7} \d{4}-\d\d-\d\d A: first$/);
    const shown = await call({ action: "show", ref: "HEAD", paths: ["a.txt"] });
    expect(shown.text).toMatch(/^commit [0-9a-f]{40}\n/);
    expect(shown.text).toMatch(/\n\+one$/);
    const unknown = await call({ action: "show", ref: "nothing" });
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining("git show failed: fatal:") });
  });

  test("commit: exactly the named files, all, what is staged, and never nothing", async () => {
    const { cwd, call, run } = await repository({ "a.txt": "a\n", "b.txt": "b\n" });
    expect((await call({ action: "commit", message: "x" })).text).toContain("Nothing is staged");
    await writeFile(join(cwd, "a.txt"), "A\n");
    await writeFile(join(cwd, "b.txt"), "B\n");
    await writeFile(join(cwd, "-new"), "");
    run("add", "b.txt");
    const one = await call({ action: "commit", message: "-m is no option", paths: ["a.txt", "-new"] });
    expect(one.text).toMatch(/^Committed [0-9a-f]{7} -m is no option\n/);
    expect(run("show", "--format=", "--name-only").trim().split("\n").sort()).toEqual(["-new", "a.txt"]);
    expect((await call({ action: "commit", message: "staged" })).text).toContain("b.txt");
    await rm(join(cwd, "a.txt"));
    expect((await call({ action: "commit", message: "gone", paths: ["a.txt"] })).text).toMatch(/^Committed \w+ gone/);
    await rm(join(cwd, "b.txt"));
    expect((await call({ action: "commit", message: "all", all: true })).text).toMatch(/^Committed \w+ all/);
    const nothing = await call({ action: "commit", message: "again", all: true });
    expect(nothing).toMatchObject({ isError: true, text: expect.stringContaining("nothing to commit") });
    expect(run("status", "--short")).toBe("");
  });

  test("a file outside of the session's scope is in no commit, and it is named", async () => {
    const { cwd, call, run } = await repository({ "src/a.txt": "a\n", "b c.txt": "b\n" });
    const how = { outOfScope: ["b c.txt"] };
    for (const name of ["src/a.txt", "b c.txt"]) await writeFile(join(cwd, name), "changed\n");
    for (const more of [{ all: true }, { paths: ["b c.txt"] }, {}]) {
      const refused = await call({ action: "commit", message: "x", ...more }, how);
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("b c.txt is outside") });
    }
    expect((await call({ action: "commit", message: "mine", paths: ["src"] }, how)).isError).toBe(false);
    expect(run("show", "--format=", "--name-only").trim()).toBe("src/a.txt");
    expect(run("log", "--format=%s").trim().split("\n")).toEqual(["mine", "first"]);
  });

  test("a hook that fails, and a person who refuses, leave the commit undone and say so", async () => {
    const { cwd, call, run } = await repository({ "a.txt": "a\n" });
    await writeFile(join(cwd, ".git/hooks/pre-commit"), "#!/bin/sh\necho lint says no >&2\nexit 1\n");
    await chmod(join(cwd, ".git/hooks/pre-commit"), 0o755);
    await writeFile(join(cwd, "a.txt"), "A\n");
    const failed = await call({ action: "commit", message: "x", all: true });
    expect(failed).toMatchObject({ isError: true, text: expect.stringContaining("lint says no") });
    expect(failed.text).toContain("The changes are staged and not committed");
    const refused = await call({ action: "commit", message: "x", all: true }, { refuses: "ask first" });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("git add was refused: ask first") });
    expect(run("log", "--format=%s").trim()).toBe("first");
  });

  test("looking runs no program that the repository's configuration names", async () => {
    const { cwd, call, run } = await repository({ "a.txt": "a\n", ".gitattributes": "* filter=evil diff=evil\n" });
    const trap = `touch ${join(cwd, "trapped")}; cat`;
    for (const [key, value] of [
      ["filter.evil.clean", trap],
      ["filter.evil.process", trap],
      ["diff.evil.textconv", trap],
      ["diff.evil.command", trap],
      ["diff.external", trap],
      ["core.fsmonitor", trap],
      ["core.pager", trap],
      ["gpg.program", trap],
      ["log.showSignature", "true"],
    ] as const)
      run("config", key, value);
    await writeFile(join(cwd, "a.txt"), "b\n");
    await call({ action: "status" });
    expect((await call({ action: "diff" })).text).toMatch(/\+b$/);
    await call({ action: "log" });
    await call({ action: "show" });
    await expect(readFile(join(cwd, "trapped"))).rejects.toThrow("ENOENT");
    run("config", "filter.a=b.clean", trap);
    expect(await call({ action: "status" })).toMatchObject({ isError: true, text: expect.stringContaining("filters") });
  });

  test("revisions and paths are never options or patterns, and stay inside", async () => {
    const { call } = await repository({ "a.txt": "a\n" });
    for (const ref of ["--output=x", "-p", "a\nb"])
      expect(parseInput(git, JSON.stringify({ action: "diff", ref }))).toHaveProperty("problem");
    expect((await call({ action: "log", paths: ["*.txt"] })).text).toBe("No commits.");
    for (const paths of [["../x"], ["/etc/passwd", "/etc/hosts"]]) {
      const { text, isError } = await call({ action: "diff", paths });
      expect({ text, isError }).toEqual({ text: expect.stringContaining("outside"), isError: true });
    }
  });

  test("no repository", async () => {
    const here = worldHere(await plantTree({}), { env: { ...ENV, GIT_CEILING_DIRECTORIES: "/" } });
    const { text, isError } = await callTool(git, { action: "status" }, here.context);
    expect({ text, isError }).toEqual({ text: expect.stringContaining("not a git repository"), isError: true });
  });
});

async function repository(files: Files) {
  const cwd = await plantTree(files);
  const run = (...argv: readonly string[]): string =>
    execFileSync("git", argv, { cwd, encoding: "utf8", env: { ...process.env, ...ENV } });
  run("init", "-q", "-b", "main");
  run("add", "-A");
  run("commit", "-qm", "first");
  const call = (input: object, how: WorldHow = {}): Promise<Called> =>
    callTool(git, input, worldHere(cwd, { env: ENV, ...how }).context);
  return { cwd, run, call };
}
