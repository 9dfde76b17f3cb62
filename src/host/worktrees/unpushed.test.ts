import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { commit, expectWork, fork } from "../../../test/support/expect-work.ts";
import { proves } from "../../../test/support/proves.ts";
import { setUpBench } from "../../../test/support/worktree-bench.ts";

proves(
  "WT-15",
  "in a fork only commits that the user's repository reaches count as safe, not those of the parent",
  async () => {
    using bench = setUpBench();
    const parent = await bench.worktree();
    const a = commit(bench, parent.path, "a");
    const b = commit(bench, parent.path, "b");
    const child = await fork(bench, parent);
    const grandchild = await fork(bench, child, "grandchild");
    expect(bench.git(child.path, "fsck", "--full", "--strict")).toBe("");
    // As after a rewind: the objects are gone too.
    rmSync(join(parent.path, ".."), { recursive: true });
    await expectWork(bench, child, { commits: [`${b} b`, `${a} a`] });
    bench.git(child.path, "reset", "--quiet", "--hard", "main");
    await expectWork(bench, child, { commits: [`${b} b`, `${a} a`] });
    bench.git(bench.repo, "fetch", "--quiet", grandchild.path, `${grandchild.branch}:taken`);
    await expectWork(bench, child, {});
    await expectWork(bench, grandchild, {});
    expect(bench.git(bench.repo, "log", "--format=%s", "taken")).toBe("b\na\nfirst");
  },
);

proves("WT-15", "commits that a fork was given can be deleted in it like any other", async () => {
  using bench = setUpBench();
  const parent = await bench.worktree();
  commit(bench, parent.path, "a");
  const child = await fork(bench, parent);
  bench.git(child.path, "reset", "--quiet", "--hard", "main");
  bench.git(child.path, "branch", "-D", parent.branch);
  bench.git(child.path, "reflog", "expire", "--expire=now", "--all");
  bench.git(child.path, "gc", "--quiet", "--prune=now");
  await expectWork(bench, child, {});
});

proves("WT-15", "a fork does not inherit ignore rules that the parent's agent wrote", async () => {
  using bench = setUpBench();
  const parent = await bench.worktree();
  bench.write(join(parent.path, ".git/info/exclude"), "*.md\n");
  bench.write(join(parent.path, ".gitignore"), "*.md\n*.txt\n");
  bench.git(parent.path, "commit", "--quiet", "--all", "-m", "hide");
  const child = await fork(bench, parent);
  bench.git(bench.repo, "fetch", "--quiet", child.path, `${child.branch}:taken`);
  bench.write(join(child.path, "result.md"), "precious");
  bench.write(join(child.path, "result.txt"), "precious");
  bench.write(join(child.path, "ignored/built"), "disposable");
  await expectWork(bench, child, { untracked: ["result.md", "result.txt"] });
});

proves("WT-15", "in a worktree of a worktree, too, only the user's commits count as safe", async () => {
  using bench = setUpBench();
  const outer = await bench.worktree();
  bench.write(join(outer.path, ".git/info/exclude"), "*.md\n");
  const a = commit(bench, outer.path, "a");
  const inner = await bench.worktree({ cwd: outer.path, name: "inner" });
  bench.write(join(inner.path, "result.md"), "precious");
  bench.write(join(inner.path, "ignored/built"), "disposable");
  await expectWork(bench, inner, { untracked: ["result.md"] });
  rmSync(join(inner.path, "result.md"));
  bench.git(outer.path, "reset", "--quiet", "--hard", "main");
  await expectWork(bench, inner, { commits: [`${a} a`] });
  bench.git(outer.path, "reset", "--quiet", "--hard", a);
  await expectWork(bench, inner, {});
});

proves("WT-15", "a record without the user's refs keeps every commit that it cannot place", async () => {
  using bench = setUpBench();
  const parent = await bench.worktree();
  const a = commit(bench, parent.path, "a");
  const child = await fork(bench, parent);
  const file = join(child.path, "../worktree.json");
  // A record of an earlier version, where everything of the other worktree counted as the user's.
  const { userBase, ...before } = JSON.parse(readFileSync(file, "utf8"));
  expect(userBase).toBe(parent.base);
  writeFileSync(file, JSON.stringify(before));
  const own = join(child.path, ".git/objects");
  for (const name of readdirSync(own).filter((one) => one.length === 2)) {
    execFileSync("cp", ["-r", "--no-clobber", join(own, name), join(child.path, "../objects")]);
    rmSync(join(own, name), { recursive: true });
  }
  writeFileSync(join(child.path, "../refs"), bench.git(child.path, "show-ref"));
  await expectWork(bench, child, { commits: [`${a} a`] });
});
