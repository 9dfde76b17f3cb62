import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { type Bench, type BenchOptions, setUpBench } from "../../../test/support/worktree-bench.ts";
import type { WorkLimits } from "../../domains/index.ts";
import { createGitRunner } from "../../host/index.ts";
import { type MeasuredDrift, measureCheckout, measureWorktree } from "./measure-drift.ts";

const LIMITS: WorkLimits = {
  scope: { allow: ["src/**"], deny: [] },
  fileBudget: { files: 12, lines: 100 },
  boundary: "not infra/**",
};

interface Scene extends Bench {
  readonly tip: () => string;
  readonly checkout: (root?: string, tip?: string | null) => Promise<MeasuredDrift>;
  readonly live: (id: string, tip?: string | null) => Promise<MeasuredDrift>;
  /** In the person's repository: writes a file and commits it. */
  readonly commit: (path: string, text: string, cwd?: string) => void;
}

function setUp(options: BenchOptions = {}): Scene {
  const bench = setUpBench({ init: ["--initial-branch=main"], ...options });
  onTestFinished(() => bench[Symbol.dispose]());
  const { directory, repo, yard, git, write } = bench;
  const runner = createGitRunner({ PATH: process.env["PATH"] });
  const scratch = join(directory, "home", "tmp", "drift");
  const tip = () => git(repo, "rev-parse", "main");
  return {
    ...bench,
    tip,
    checkout: (root = repo, at = tip()) => measureCheckout({ git: runner, scratch, root, tip: at }, LIMITS),
    live: (id, at = tip()) => measureWorktree(yard, { id, tip: at }, LIMITS),
    commit: (path, text, cwd = repo) => {
      write(join(cwd, path), text);
      git(cwd, "add", "--all");
      git(cwd, "commit", "--quiet", "-m", `change ${path}`);
    },
  };
}

const told = ({ files }: MeasuredDrift) => files.map(({ path, added, removed }) => `${path} +${added} -${removed}`);

proves("GD-2", "uncommitted, staged, deleted, new and shell-made changes count; ignored files do not", async () => {
  const { repo, git, write, checkout } = setUp();
  expect(await checkout()).toMatchObject({ files: [], drift: { score: 0 } });
  write(join(repo, "src/main.ts"), "export const one = 2;\nexport const two = 2;\n");
  execFileSync("sh", ["-c", "mkdir -p src/deep && printf 'a\\nb\\nc' > src/deep/shell.ts && echo x > docs.md"], {
    cwd: repo,
  });
  unlinkSync(join(repo, "README.md"));
  write(join(repo, "src/staged.ts"), "one\n");
  git(repo, "add", "src/staged.ts");
  write(join(repo, "ignored/x.txt"), "no\n");
  write(join(repo, ".env"), "no\n");
  const measured = await checkout();
  expect(told(measured).toSorted()).toEqual([
    ...["README.md +0 -1", "docs.md +1 -0", "src/deep/shell.ts +3 -0", "src/main.ts +2 -1", "src/staged.ts +1 -0"],
  ]);
  expect(measured).toMatchObject({ filesChanged: 5, linesChanged: 9, drift: { scope: 0.4, lines: 0.09, boundary: 0 } });
  // The worst come first.
  expect(measured.files.slice(0, 2).map(({ inScope }) => inScope)).toEqual([false, false]);
  write(join(repo, "infra/a.tf"), "x\n");
  expect((await checkout()).files[0]).toMatchObject({ path: "infra/a.tf", isForbidden: true, inScope: false });
});

proves("GD-2", "commits that landed on the base do not count, and own work that landed does not either", async () => {
  const { repo, git, commit, checkout, directory } = setUp();
  git(repo, "checkout", "--quiet", "-b", "work");
  commit("src/own.ts", "own\n");
  const linked = join(directory, "linked");
  git(repo, "worktree", "add", "--quiet", linked, "main");
  for (const n of [1, 2, 3]) commit(`docs/other-${n}.md`, "theirs\n", linked);
  expect(told(await checkout())).toEqual(["src/own.ts +1 -0"]);
  expect(await checkout()).toMatchObject({ ahead: 1, behind: 3 });
  // Merged into the work: still not its own.
  git(repo, "merge", "--quiet", "--no-edit", "main");
  commit("src/more.ts", "more\n");
  expect(told(await checkout())).toEqual(["src/more.ts +1 -0", "src/own.ts +1 -0"]);
  // Squashed onto the base: other commits, the same files.
  git(linked, "merge", "--quiet", "--squash", "work");
  git(linked, "commit", "--quiet", "-m", "squashed");
  expect(told(await checkout())).toEqual([]);
  commit("src/own.ts", "own\nand more\n");
  expect(told(await checkout())).toEqual(["src/own.ts +2 -0"]);
});

proves(
  "GD-2",
  "the worktree of a session is measured against the branch, with its commits and without them",
  async () => {
    const { repo, git, write, commit, live, worktree } = setUp();
    const { id, path } = await worktree();
    expect(await live(id)).toMatchObject({ files: [], drift: { score: 0 }, ahead: 0, behind: 0 });
    write(join(path, "src/new.ts"), "a\nb\n");
    write(join(path, "README.md"), "bye\n");
    const before = ["README.md +1 -1", "src/new.ts +2 -0"];
    expect(told(await live(id))).toEqual(before);
    git(path, "add", "--all");
    git(path, "commit", "--quiet", "-m", "work");
    expect(told(await live(id))).toEqual(before);
    commit("docs/theirs.md", "theirs\n");
    expect(await live(id)).toMatchObject({ ahead: 1, behind: 1, filesChanged: 2 });
    expect(told(await live(id))).toEqual(before);
    git(path, "pull", "--quiet", "--no-rebase", "--no-edit", repo, "main");
    expect(await live(id)).toMatchObject({ ahead: 2, behind: 0, filesChanged: 2 });
    expect(told(await live(id))).toEqual(before);
    // The agent hides nothing by marks, by ignore rules of its own, or by a commit of what is ignored.
    git(path, "update-index", "--assume-unchanged", "src/main.ts");
    git(path, "update-index", "--skip-worktree", ".gitignore");
    write(join(path, "src/main.ts"), "changed\n");
    write(join(path, ".gitignore"), "hidden/\n");
    write(join(path, "hidden/x.ts"), "x\n");
    write(join(path, "ignored/kept.ts"), "x\n");
    expect(told(await live(id)).toSorted()).toEqual(
      [...before, ".gitignore +1 -3", "hidden/x.ts +1 -0", "src/main.ts +1 -1"].toSorted(),
    );
    git(path, "add", "-f", "ignored/kept.ts");
    git(path, "commit", "--quiet", "-m", "ignored");
    expect(told(await live(id))).toContain("ignored/kept.ts +1 -0");
    expect(git(repo, "status", "--porcelain")).toBe("");
  },
);

proves("GD-2", "marks in the index of a checkout hide nothing; a sparse checkout is no deletion", async () => {
  const { repo, git, write, commit, checkout } = setUp();
  commit("src/a.ts", "a\n");
  commit("docs/b.md", "b\n");
  git(repo, "update-index", "--assume-unchanged", "src/a.ts");
  git(repo, "update-index", "--skip-worktree", "src/main.ts");
  write(join(repo, "src/a.ts"), "hidden\n");
  write(join(repo, "src/main.ts"), "hidden\n");
  expect(told(await checkout())).toEqual(["src/a.ts +1 -1", "src/main.ts +1 -1"]);
  git(repo, "update-index", "--no-assume-unchanged", "src/a.ts");
  git(repo, "update-index", "--no-skip-worktree", "src/main.ts");
  git(repo, "checkout", "--quiet", ".");
  git(repo, "sparse-checkout", "set", "src");
  expect(told(await checkout())).toEqual([]);
});

proves("GD-2", "links, pipes, nested repositories, odd names and replaced folders are read without harm", async () => {
  const { repo, git, write, checkout, directory } = setUp();
  symlinkSync("/etc/passwd", join(repo, "src/link"));
  execFileSync("mkfifo", [join(repo, "src/pipe"), join(repo, "pipe")]);
  mkdirSync(join(repo, "nested"));
  git(join(repo, "nested"), "init", "--quiet");
  write(join(repo, "nested/deep/x.ts"), "x\n");
  write(join(repo, 'src/näme "quoted"\n.ts'), "x\n");
  write(join(repo, "src/binary"), "a\0b\n");
  renameSync(join(repo, "src/main.ts"), join(repo, "src/moved.ts"));
  expect(told(await checkout()).toSorted()).toEqual(
    [
      ...["src/link +1 -0", "nested +0 -0", 'src/näme "quoted"\n.ts +1 -0', "src/binary +0 -0"],
      ...["src/main.ts +0 -1", "src/moved.ts +1 -0"],
    ].toSorted(),
  );
  rmSync(join(repo, "src"), { recursive: true });
  const outside = join(directory, "outside");
  mkdirSync(outside);
  write(join(outside, "main.ts"), "export const one = 1;\n");
  symlinkSync(outside, join(repo, "src"));
  expect(told(await checkout())).toContain("src/main.ts +0 -1");
  rmSync(join(repo, "src"));
  mkdirSync(join(repo, "src"));
  write(join(repo, "src/locked.ts"), "x\n");
  chmodSync(join(repo, "src/locked.ts"), 0o000);
  expect((await checkout()).files.some(({ path }) => path === "src/locked.ts")).toBe(true);
});

proves("GD-2", "without commits, without a base, in a merge, detached, bare: measured or refused by name", async () => {
  const { repo, git, write, commit, checkout, directory } = setUp();
  const empty = join(directory, "empty");
  mkdirSync(empty);
  git(empty, "init", "--quiet");
  write(join(empty, "a.ts"), "a\n");
  expect(told(await checkout(empty, null))).toEqual(["a.ts +1 -0"]);
  write(join(repo, "src/x.ts"), "x\n");
  expect(told(await checkout(repo, null))).toEqual(["src/x.ts +1 -0"]);
  commit("src/x.ts", "x\n");
  git(repo, "checkout", "--quiet", "-b", "other", "HEAD~1");
  commit("src/x.ts", "y\n");
  expect(() => git(repo, "merge", "--quiet", "main")).toThrow();
  expect(told(await checkout())).toHaveLength(1);
  git(repo, "merge", "--abort");
  git(repo, "checkout", "--quiet", "--detach", "main");
  expect(await checkout()).toMatchObject({ files: [], ahead: 0 });
  git(repo, "checkout", "--quiet", "--orphan", "unrelated");
  git(repo, "commit", "--quiet", "-m", "unrelated");
  write(join(repo, "src/x.ts"), "z\n");
  expect(told(await checkout())).toEqual(["src/x.ts +1 -1"]);
  const bare = join(directory, "bare");
  git(directory, "clone", "--quiet", "--bare", repo, bare);
  await expect(checkout(bare)).rejects.toMatchObject({ code: "not_a_repository" });
  await expect(checkout(directory)).rejects.toMatchObject({ code: "not_a_repository" });
  writeFileSync(join(repo, ".git", "index"), "damaged");
  expect(told(await checkout())).toEqual(["src/x.ts +1 -1"]);
});

proves("GD-2", "a shallow clone is measured against what it has", async () => {
  const { repo, git, write, commit, checkout, directory, worktree, live } = setUp();
  for (const n of [1, 2, 3, 4]) commit(`src/${n}.ts`, "x\n");
  const clone = join(directory, "shallow");
  git(directory, "clone", "--quiet", "--depth=1", `file://${repo}`, clone);
  write(join(clone, "src/own.ts"), "x\n");
  expect(told(await checkout(clone, git(clone, "rev-parse", "origin/main")))).toEqual(["src/own.ts +1 -0"]);
  const { id, path } = await worktree({ cwd: clone });
  write(join(path, "src/mine.ts"), "x\n");
  git(clone, "checkout", "--quiet", "--", ".");
  commit("src/newer.ts", "x\n", clone);
  expect(told(await live(id, git(clone, "rev-parse", "HEAD")))).toEqual(["src/mine.ts +1 -0"]);
});

proves("GD-2", "nothing of a repository is written by measuring, and its settings are not used", async () => {
  const { repo, git, write, checkout, portrait } = setUp();
  write(join(repo, "src/main.ts"), "changed\n");
  const before = portrait();
  await checkout();
  expect(portrait()).toBe(before);
  write(join(repo, ".gitattributes"), "*.ts filter=evil diff=evil\n");
  for (const name of [
    "filter.evil.clean",
    "filter.evil.process",
    "diff.evil.textconv",
    "core.fsmonitor",
    "diff.external",
  ])
    git(repo, "config", name, `touch ${join(repo, "PWNED")}`);
  expect(told(await checkout())).toEqual([".gitattributes +1 -0", "src/main.ts +1 -1"]);
  expect(existsSync(join(repo, "PWNED"))).toBe(false);
});
