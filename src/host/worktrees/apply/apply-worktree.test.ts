import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { appendFile, chmod, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { type Bench, setUpBench } from "../../../../test/support/worktree-bench.ts";
import type { Worktree } from "../worktrees.ts";

const begin = async (): Promise<void> => undefined;
const statusOf = ({ git, repo }: Bench) =>
  git(repo, "status", "--porcelain", "--untracked-files=all").split("\n").filter(Boolean);

async function bench(
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<Bench & { readonly tree: Worktree }> {
  const made = setUpBench();
  for (const [path, text] of Object.entries(files)) {
    made.write(join(made.repo, path), "");
    await writeFile(join(made.repo, path), text);
  }
  if (Object.keys(files).length > 0) {
    made.git(made.repo, "add", "--all");
    made.git(made.repo, "commit", "--quiet", "-m", "more");
  }
  return { ...made, tree: await made.worktree() };
}

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at}\n`);
const TEXT = LINES.join("");
const changedLine = (at: number, to: string) => LINES.map((line, n) => (n === at ? `${to}\n` : line)).join("");

describe("work comes home", () => {
  proves("WT-20", "changed, new, deleted, binary and executable files and links, committed or not", async () => {
    using all = await bench({
      "a.txt": "a\n",
      "old/gone.txt": "x\n",
      "run.sh": "#!/bin/sh\n",
      "bin.dat": Buffer.from([0, 1, 2]),
    });
    const { tree, repo, yard, git } = all;
    const at = (path: string) => join(tree.path, path);
    await writeFile(at("a.txt"), "committed\n");
    git(tree.path, "commit", "-qam", "done");
    await writeFile(at("a.txt"), "committed, then changed\n");
    await rm(at("old"), { recursive: true });
    await chmod(at("run.sh"), 0o755);
    await writeFile(at("bin.dat"), Buffer.from([0, 255, 0]));
    mkdirSync(at("new/deep"), { recursive: true });
    await writeFile(at("new/deep/ümlaut file.txt"), "new\n");
    symlinkSync("a.txt", at("link"));
    await writeFile(at(".env"), "secret\n");
    const dry = await yard.apply(tree.id, null);
    expect(statusOf(all)).toEqual([]);
    const done = await yard.apply(tree.id, begin);
    expect(done).toEqual({ ...dry, repository: repo, conflicts: [], nested: [] });
    expect(done.files.map(({ path, change }) => `${change} ${path}`).toSorted()).toEqual([
      "added link",
      "added new/deep/ümlaut file.txt",
      "changed a.txt",
      "changed bin.dat",
      "changed run.sh",
      "deleted old/gone.txt",
    ]);
    expect(readFileSync(join(repo, "a.txt"), "utf8")).toBe("committed, then changed\n");
    expect([...readFileSync(join(repo, "bin.dat"))]).toEqual([0, 255, 0]);
    expect(lstatSync(join(repo, "run.sh")).mode & 0o777).toBe(0o755);
    expect(readlinkSync(join(repo, "link"))).toBe("a.txt");
    expect(existsSync(join(repo, "old"))).toBe(false);
    expect(existsSync(join(repo, ".env"))).toBe(false);
    expect(git(repo, "diff", "--cached", "--name-only")).toBe("");
    expect(await yard.apply(tree.id, begin)).toMatchObject({ files: [], conflicts: [] });
  });

  test("the person's own changes to the same file are kept where git can merge both", async () => {
    using all = await bench({ "a.txt": TEXT });
    const { tree, repo, yard } = all;
    await writeFile(join(tree.path, "a.txt"), changedLine(2, "theirs"));
    await writeFile(join(repo, "a.txt"), changedLine(17, "mine"));
    await writeFile(join(repo, "mine.txt"), "mine\n");
    expect(await yard.apply(tree.id, begin)).toMatchObject({ files: [{ path: "a.txt" }], conflicts: [] });
    const merged = readFileSync(join(repo, "a.txt"), "utf8");
    expect(merged).toContain("theirs\n");
    expect(merged).toContain("mine\n");
    expect(readFileSync(join(repo, "mine.txt"), "utf8")).toBe("mine\n");
  });

  test("a file that became a folder, and a repository whose HEAD went on", async () => {
    using all = await bench({ a: "file\n", "b.txt": "b\n" });
    const { tree, repo, yard, git } = all;
    await rm(join(tree.path, "a"));
    mkdirSync(join(tree.path, "a"));
    await writeFile(join(tree.path, "a/inner"), "inner\n");
    await writeFile(join(repo, "b.txt"), "b2\n");
    git(repo, "commit", "-qam", "on");
    expect((await yard.apply(tree.id, begin)).conflicts).toEqual([]);
    expect(readFileSync(join(repo, "a/inner"), "utf8")).toBe("inner\n");
    expect(readFileSync(join(repo, "b.txt"), "utf8")).toBe("b2\n");
  });

  test("a fork brings home what its parent had committed too", async () => {
    using all = await bench();
    const { tree, repo, yard, git, fork } = all;
    await writeFile(join(tree.path, "first.txt"), "1\n");
    git(tree.path, "add", "--all");
    git(tree.path, "commit", "-qm", "first of the parent");
    const forked = await fork(tree.id);
    await writeFile(join(forked.path, "second.txt"), "2\n");
    await yard.apply(forked.id, begin);
    expect([existsSync(join(repo, "first.txt")), existsSync(join(repo, "second.txt"))]).toEqual([true, true]);
  });
});

describe("nothing is applied when the person's files are in conflict", () => {
  const CASES: readonly [string, (mine: string, theirs: string) => Promise<unknown>, string, RegExp][] = [
    [
      "both changed one line",
      async (mine, theirs) => {
        await writeFile(join(mine, "a.txt"), changedLine(3, "mine"));
        await writeFile(join(theirs, "a.txt"), changedLine(3, "theirs"));
      },
      "a.txt",
      /same place/,
    ],
    [
      "deleted here, changed there",
      async (mine, theirs) => {
        await rm(join(mine, "a.txt"));
        await writeFile(join(theirs, "a.txt"), "theirs\n");
      },
      "a.txt",
      /deleted by you/,
    ],
    [
      "changed here, deleted there",
      async (mine, theirs) => {
        await writeFile(join(mine, "a.txt"), "mine\n");
        await rm(join(theirs, "a.txt"));
      },
      "a.txt",
      /deleted by the session/,
    ],
    [
      "both made it",
      async (mine, theirs) => {
        await writeFile(join(mine, "n.txt"), "mine\n");
        await writeFile(join(theirs, "n.txt"), "theirs\n");
      },
      "n.txt",
      /made by/,
    ],
    [
      "a folder is in the way",
      async (mine, theirs) => {
        await mkdir(join(mine, "n"));
        await writeFile(join(theirs, "n"), "theirs\n");
      },
      "n",
      /folder/,
    ],
    [
      "a file is in the way of a folder",
      async (mine, theirs) => {
        await writeFile(join(mine, "n"), "mine\n");
        await mkdir(join(theirs, "n"));
        await writeFile(join(theirs, "n/x"), "theirs\n");
      },
      "n/x",
      /n is in the way/,
    ],
    [
      "binary files",
      async (mine, theirs) => {
        await writeFile(join(mine, "bin"), Buffer.from([0, 1]));
        await writeFile(join(theirs, "bin"), Buffer.from([0, 2]));
      },
      "bin",
      /same place/,
    ],
    [
      "a link of the person's where the session has a folder",
      async (mine, theirs) => {
        await symlink("/tmp", join(mine, "out"));
        await mkdir(join(theirs, "out"));
        await writeFile(join(theirs, "out/x"), "theirs\n");
      },
      "out/x",
      /out is in the way/,
    ],
  ];
  test.each(CASES)("%s", async (_what, change, path, reason) => {
    using all = await bench({ "a.txt": TEXT, bin: Buffer.from([0]) });
    const { tree, repo, yard } = all;
    await change(repo, tree.path);
    await writeFile(join(tree.path, "harmless.txt"), "x\n");
    const before = statusOf(all);
    const { conflicts } = await yard.apply(tree.id, begin);
    expect(conflicts).toEqual([{ path, reason: expect.stringMatching(reason) }]);
    expect(statusOf(all)).toEqual(before);
    expect(existsSync(join(repo, "harmless.txt"))).toBe(false);
  });

  proves("WT-20", "a file that the person saves while it is applied: everything is put back", async () => {
    using all = await bench({ "a.txt": "a\n", "b/b.txt": "b\n", "z.txt": "z\n" });
    const { tree, repo, yard } = all;
    await writeFile(join(tree.path, "a.txt"), "theirs\n");
    await rm(join(tree.path, "b"), { recursive: true });
    await mkdir(join(tree.path, "deep/er"), { recursive: true });
    await writeFile(join(tree.path, "deep/er/new.txt"), "theirs\n");
    await writeFile(join(tree.path, "z.txt"), "theirs\n");
    const { conflicts } = await yard.apply(tree.id, () => appendFile(join(repo, "z.txt"), "saved\n"));
    expect(conflicts).toEqual([{ path: "z.txt", reason: expect.stringContaining("changed while") }]);
    expect(statusOf(all)).toEqual([" M z.txt"]);
    expect(readFileSync(join(repo, "z.txt"), "utf8")).toBe("z\nsaved\n");
    expect(readFileSync(join(repo, "b/b.txt"), "utf8")).toBe("b\n");
    expect(existsSync(join(repo, "deep"))).toBe(false);
  });
});

describe("an agent's worktree runs nothing and reaches nothing", () => {
  proves("WT-21", "hooks, filters, fsmonitor, external diffs and attributes of the worktree do not run", async () => {
    using all = await bench({ "a.txt": "a\n" });
    const { tree, repo, yard, directory } = all;
    const ran = join(directory, "ran");
    const program = join(directory, "program");
    await writeFile(program, `#!/bin/sh\ntouch ${ran}\ncat\n`, { mode: 0o755 });
    const settings = [
      `[core]\n\thooksPath = ${tree.path}/hooks\n\tfsmonitor = ${program}\n\tpager = ${program}\n\tsshCommand = ${program}`,
      `[filter "x"]\n\tclean = ${program}\n\tsmudge = ${program}\n\trequired = true`,
      `[diff]\n\texternal = ${program}\n[diff "x"]\n\ttextconv = ${program}\n\tcommand = ${program}`,
      `[merge "x"]\n\tdriver = ${program}`,
    ];
    await appendFile(join(tree.path, ".git/config"), `${settings.join("\n")}\n`);
    await writeFile(
      join(tree.path, ".gitattributes"),
      "* filter=x diff=x merge=x text eol=crlf working-tree-encoding=UTF-16\n",
    );
    for (const folder of [join(tree.path, "hooks"), join(tree.path, ".git/hooks")]) {
      mkdirSync(folder, { recursive: true });
      for (const hook of ["post-checkout", "pre-commit", "post-index-change", "applypatch-msg"])
        await writeFile(join(folder, hook), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    }
    await writeFile(join(tree.path, "a.txt"), "b\r\n");
    const { conflicts } = await yard.apply(tree.id, begin);
    expect(conflicts).toEqual([]);
    expect(existsSync(ran)).toBe(false);
    expect(readFileSync(join(repo, "a.txt"), "utf8")).toBe("b\r\n");
  });

  test.each([
    ["/etc/passwd", "l"],
    ["../outside", "l"],
    ["a/../../..", "l"],
    ["d/../../x", "deep/l"],
    [".git/hooks", "l"],
    ["../.GIT/config", "deep/l"],
    ["../../..", "deep/l"],
  ])("a link to %s is refused as a conflict", async (target, path) => {
    using all = await bench();
    const { tree, repo, yard } = all;
    mkdirSync(join(tree.path, "deep"));
    symlinkSync(target, join(tree.path, path));
    const { conflicts } = await yard.apply(tree.id, begin);
    expect(conflicts).toEqual([{ path, reason: expect.stringContaining("leads out") }]);
    expect(existsSync(join(repo, path))).toBe(false);
  });

  proves("WT-21", "a folder replaced by a link: what it leads to is neither read nor written", async () => {
    using all = await bench({ "dir/a.txt": "a\n" });
    const { tree, repo, yard, directory } = all;
    mkdirSync(join(directory, "secret"));
    await writeFile(join(directory, "secret/a.txt"), "secret\n");
    await rename(join(tree.path, "dir"), join(directory, "moved"));
    symlinkSync(join(directory, "secret"), join(tree.path, "dir"));
    const { conflicts } = await yard.apply(tree.id, begin);
    expect(conflicts.map(({ path }) => path)).toEqual(["dir"]);
    expect(await readFile(join(repo, "dir/a.txt"), "utf8")).toBe("a\n");
  });

  test.each(["../x", ".git/hooks/post-checkout", "a/.git/config"])(
    "a commit with the path %s is refused",
    async (path) => {
      using all = await bench();
      const { tree, repo, yard, git, directory } = all;
      const blob = git(tree.path, "hash-object", "-w", "README.md");
      // `mktree` takes any name without a slash, so each part is a tree of its own.
      const parts = path.split("/");
      let entry = `100644 blob ${blob}\t${parts.at(-1)}`;
      for (const part of parts.slice(0, -1).toReversed()) entry = `040000 tree ${mktree(tree.path, entry)}\t${part}`;
      const commit = git(
        tree.path,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a",
        "commit-tree",
        "-m",
        "x",
        mktree(tree.path, entry),
      );
      await writeFile(join(tree.path, ".git/HEAD"), `${commit}\n`);
      await expect(yard.apply(tree.id, begin)).rejects.toMatchObject({ name: "HostError" });
      expect(existsSync(join(directory, "x"))).toBe(false);
      expect(statusOf(all)).toEqual([]);
      expect(existsSync(join(repo, ".git/hooks/post-checkout"))).toBe(false);
    },
  );

  test("nested repositories stay in the worktree; pipes are no files", async () => {
    using all = await bench();
    const { tree, repo, yard, git } = all;
    mkdirSync(join(tree.path, "inner"));
    git(join(tree.path, "inner"), "init", "--quiet");
    await writeFile(join(tree.path, "inner/x"), "x\n");
    execFileSync("mkfifo", [join(tree.path, "pipe")]);
    expect(await yard.apply(tree.id, begin)).toMatchObject({ files: [], nested: ["inner"] });
    expect(existsSync(join(repo, "inner"))).toBe(false);
  });
});

function mktree(cwd: string, entry: string): string {
  return execFileSync("git", ["mktree"], { cwd, input: `${entry}\n`, encoding: "utf8" }).trim();
}
