import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { type Bench, setUpBench } from "../../../test/support/worktree-bench.ts";
import { createGitRunner, type GitOptions } from "../git/run-git.ts";
import { removeTree } from "../trash/remove-tree.ts";
import { putAside } from "./remove-worktree.ts";
import type { Worktree } from "./worktrees.ts";

/** Tries to remove the worktree; returns whether it is still there. */
async function isKept(bench: Bench, { id, path }: Worktree, evenMissing = false): Promise<boolean> {
  const removal = await bench.yard.remove(id, { evenMissing });
  if (removal.removed) await removal.finish();
  expect(existsSync(path)).toBe(!removal.removed);
  return !removal.removed;
}

proves("WT-7", "a worktree without work is removed completely", async () => {
  using bench = setUpBench();
  bench.write(join(bench.repo, ".env"), "KEY=1\n");
  const tree = await bench.worktree();
  bench.write(join(tree.path, "ignored", "build.txt"), "can be built again");
  mkdirSync(join(tree.path, "empty"));
  execFileSync("mkfifo", [join(tree.path, "pipe")]);
  expect(await isKept(bench, tree)).toBe(false);
  expect(readdirSync(bench.yard.folder)).toEqual([]);
});

/** Things an agent might have done, each on its own. */
const LOSABLE: Readonly<Record<string, (bench: Bench, path: string) => void>> = {
  "a changed file": (bench, path) => bench.write(join(path, "README.md"), "changed\n"),
  "a changed file of the same size and time": (bench, path) => {
    execFileSync("touch", ["-r", join(path, "README.md"), join(bench.directory, "time")]);
    bench.write(join(path, "README.md"), "hallo\n");
    execFileSync("touch", ["-r", join(bench.directory, "time"), join(path, "README.md")]);
  },
  "a deleted file": (_bench, path) => rmSync(join(path, "README.md")),
  "a file with another mode": (_bench, path) => execFileSync("chmod", ["+x", join(path, "README.md")]),
  "an untracked file": (bench, path) => bench.write(join(path, "notes/today.md"), "notes"),
  "a changed file marked as unchanged": (bench, path) => {
    bench.git(path, "update-index", "--assume-unchanged", "README.md");
    bench.write(join(path, "README.md"), "changed\n");
  },
  "a changed file marked as not checked out": (bench, path) => {
    bench.git(path, "update-index", "--skip-worktree", "README.md");
    bench.write(join(path, "README.md"), "changed\n");
  },
  "an untracked file that only the private git dir ignores": (bench, path) => {
    bench.write(join(path, ".git/info/exclude"), "*.md\n");
    bench.write(join(path, "notes.md"), "notes");
  },
  "a file staged and unstaged": (bench, path) => {
    bench.write(join(path, "README.md"), "staged\n");
    bench.git(path, "add", "README.md");
    bench.write(join(path, "README.md"), "hello\n");
  },
  "a stash": (bench, path) => {
    bench.write(join(path, "README.md"), "stashed\n");
    bench.git(path, "stash");
  },
  "a commit": (bench, path) => commit(bench, path),
  "a commit on another branch": (bench, path) => {
    bench.git(path, "checkout", "--quiet", "-b", "other");
    commit(bench, path);
    bench.git(path, "checkout", "--quiet", "nomos/brave-otter-3f");
  },
  "a commit on a detached HEAD": (bench, path) => {
    bench.git(path, "checkout", "--quiet", "--detach");
    commit(bench, path);
  },
  "a commit that only a reflog names": (bench, path) => {
    commit(bench, path);
    bench.git(path, "reset", "--hard", "--quiet", "HEAD~1");
  },
  "a commit that no ref names": (bench, path) => {
    commit(bench, path);
    bench.git(path, "reset", "--hard", "--quiet", "HEAD~1");
    bench.git(path, "reflog", "expire", "--expire=now", "--all");
  },
  "a commit in a pack": (bench, path) => {
    commit(bench, path);
    bench.git(path, "gc", "--quiet");
  },
  "an annotated tag": (bench, path) => void bench.git(path, "tag", "-a", "v9", "-m", "notes of a release"),
  "a note": (bench, path) => void bench.git(path, "notes", "add", "-m", "a note"),
  "a nested repository": (bench, path) => {
    bench.git(bench.directory, "init", "--quiet", join(path, "nested"));
    commit(bench, join(path, "nested"));
  },
  "a nested repository in an ignored folder": (bench, path) => {
    bench.git(bench.directory, "init", "--quiet", join(path, "ignored/nested"));
    commit(bench, join(path, "ignored/nested"));
  },
  "a nested repository without files": (bench, path) =>
    void bench.git(bench.directory, "clone", "--quiet", "--bare", bench.repo, join(path, "ignored/bare.git")),
  "a submodule with a commit": (bench, path) => {
    bench.git(path, "submodule", "--quiet", "update", "--init");
    commit(bench, join(path, "sub"));
    bench.git(path, "submodule", "--quiet", "deinit", "--force", "sub");
  },
  "a worktree of the worktree": (bench, path) =>
    void bench.git(path, "worktree", "add", "--quiet", join(bench.directory, "elsewhere")),
  "a carried file that was changed": (bench, path) => bench.write(join(path, ".env"), "KEY=changed\n"),
  "a new file of the carried kind": (bench, path) => bench.write(join(path, "src/.env.local"), "KEY=new\n"),
  "an unfinished merge": (bench, path) => {
    bench.write(join(path, ".git/MERGE_HEAD"), `${bench.git(path, "rev-parse", "HEAD")}\n`);
    bench.write(join(path, "README.md"), "<<<<<<<\n");
  },
  "a deleted branch": (bench, path) => void bench.git(path, "update-ref", "-d", "HEAD"),
  "a corrupt index": (bench, path) => bench.write(join(path, ".git/index"), "nonsense"),
  "an object that cannot be read": (bench, path) =>
    bench.write(join(path, ".git/objects/aa", "b".repeat(38)), "nonsense"),
  "a missing git dir": (_bench, path) => rmSync(join(path, ".git"), { recursive: true }),
  "a git dir that points elsewhere": (bench, path) => {
    renameSync(join(path, ".git"), join(bench.directory, "moved"));
    symlinkSync(join(bench.directory, "moved"), join(path, ".git"));
  },
  "an object store that points elsewhere": (bench, path) => {
    renameSync(join(path, ".git/objects"), join(bench.directory, "moved"));
    symlinkSync(join(bench.directory, "moved"), join(path, ".git/objects"));
  },
  "refs in another format": (bench, path) => bench.write(join(path, ".git/HEAD"), "ref: refs/heads/.invalid\n"),
};

for (const [what, work] of Object.entries(LOSABLE))
  proves("WT-7", `a worktree is kept: ${what}`, async () => {
    using bench = setUpBench();
    bench.write(join(bench.repo, ".env"), "KEY=1\n");
    if (what.includes("submodule")) {
      bench.git(bench.directory, "clone", "--quiet", bench.repo, "other");
      bench.git(bench.repo, "submodule", "--quiet", "add", join(bench.directory, "other"), "sub");
      bench.git(bench.repo, "commit", "--quiet", "-m", "submodule");
    }
    const tree = await bench.worktree();
    work(bench, tree.path);
    expect(await isKept(bench, tree)).toBe(true);
    expect(await isKept(bench, tree)).toBe(true);
  });

proves("WT-7", "commits that the user has fetched are no longer work", async () => {
  using bench = setUpBench();
  const tree = await bench.worktree();
  commit(bench, tree.path);
  expect((await bench.yard.work(tree.id)).commits).toEqual([expect.stringMatching(/^[0-9a-f]{40} work$/)]);
  bench.git(bench.repo, "fetch", "--quiet", tree.path, tree.branch);
  expect((await bench.yard.work(tree.id)).commits).toHaveLength(1);
  bench.git(bench.repo, "fetch", "--quiet", tree.path, `${tree.branch}:${tree.branch}`);
  expect(await isKept(bench, tree)).toBe(false);
});

proves("WT-7", "work whose repository is gone is kept", async () => {
  using bench = setUpBench();
  const tree = await bench.worktree();
  commit(bench, tree.path);
  bench.git(bench.repo, "fetch", "--quiet", tree.path, `${tree.branch}:${tree.branch}`);
  rmSync(bench.repo, { recursive: true });
  expect(await isKept(bench, tree)).toBe(true);
});

proves("WT-8", "work made between the check and the removal is found by the second check", async () => {
  using bench = setUpBench();
  for (const late of ["README.md", "new.txt", ".env.late"]) {
    const tree = await bench.worktree({ name: late });
    let looks = 0;
    const git = createGitRunner(process.env);
    const scene = {
      scratch: join(bench.directory, "scratch"),
      carry: [".env*"],
      bounds: { filesMax: 1000, bytesMax: 1e6 },
      git: {
        ...git,
        // Each check runs `status` once. The file appears after the first check has decided.
        must: (args: readonly string[], options: GitOptions = {}) => {
          if (args[0] === "status") looks += 1;
          if (args[0] === "status" && looks === 2) writeFileSync(join(options.workTree ?? "", late), "late\n");
          return git.must(args, options);
        },
      },
    };
    const removal = await putAside(
      { ...scene, discard: async (path) => void (await removeTree(path)) },
      bench.yard.folder,
      tree.id,
    );
    expect([looks, removal.removed]).toEqual([2, false]);
    expect(existsSync(join(tree.path, late))).toBe(true);
  }
});

proves("WT-8", "a worktree that a process stands in is kept", async () => {
  using bench = setUpBench();
  const tree = await bench.worktree();
  const shell = spawn("sh", ["-c", "echo in; read line; echo late > late.txt"], { cwd: join(tree.path, "src") });
  await new Promise((resolve) => shell.stdout.once("data", resolve));
  expect(await bench.yard.remove(tree.id)).toMatchObject({ removed: false, heldBy: [shell.pid] });
  const ended = new Promise((resolve) => shell.once("exit", resolve));
  shell.stdin.end("go\n");
  await ended;
  expect(existsSync(join(tree.path, "src/late.txt"))).toBe(true);
  expect(await isKept(bench, tree)).toBe(true);
});

proves("WT-9", "after a crash a half-made worktree is removed, and a half-removed one is put back", async () => {
  using bench = setUpBench();
  const [one, two, three] = [
    await bench.worktree({ name: "one" }),
    await bench.worktree({ name: "two" }),
    await bench.worktree({ name: "three" }),
  ];
  commit(bench, one.path);
  const { folder } = bench.yard;
  mkdirSync(join(folder, ".making-x/tree"), { recursive: true });
  for (const { id } of [one, two, three]) renameSync(join(folder, id), join(folder, `.removing-${id}`));
  await bench.yard.sweep(
    async (id) => id === three.id,
    (path) => expect.fail(path),
  );
  expect(readdirSync(folder).sort()).toEqual([one.id, two.id].sort());
  expect(bench.git(one.path, "log", "-1", "--format=%s")).toBe("work");
});

test("a tree deleted or moved by hand is reported as missing, and its record can be removed", async () => {
  using bench = setUpBench();
  const tree = await bench.worktree();
  renameSync(tree.path, join(bench.directory, "moved"));
  expect(await bench.yard.get(tree.id)).toMatchObject({ state: "missing" });
  renameSync(join(bench.directory, "moved"), tree.path);
  expect(await bench.yard.get(tree.id)).toMatchObject({ state: "present" });
  rmSync(tree.path, { recursive: true });
  expect(await isKept(bench, { ...tree, path: join(tree.path, "..") })).toBe(true);
  expect(await isKept(bench, { ...tree, path: join(tree.path, "..") }, true)).toBe(false);
  const damaged = await bench.worktree({ name: "damaged" });
  writeFileSync(join(damaged.path, "..", "worktree.json"), "{");
  expect(await bench.yard.list()).toEqual([]);
  await expect(bench.yard.remove(damaged.id)).rejects.toMatchObject({ code: "worktree_not_found" });
  expect(existsSync(damaged.path)).toBe(true);
  for (const id of ["nothing", "../escape", "", "."]) expect(await bench.yard.get(id)).toBeNull();
});

function commit(bench: Bench, path: string): void {
  bench.write(join(path, "work.txt"), "work\n");
  bench.git(path, "add", "work.txt");
  bench.git(path, "commit", "--quiet", "-m", "work");
}
