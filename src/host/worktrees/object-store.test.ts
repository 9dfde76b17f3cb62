import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { type Bench, setUpBench } from "../../../test/support/worktree-bench.ts";

/** The contents of everything that git can read in a worktree, which a session there could print. */
function contentsOf(bench: Bench, path: string): string {
  const list = bench.git(path, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)");
  const read = (id: string) => bench.git(path, "cat-file", "-p", id);
  return list
    .split("\n")
    .filter(Boolean)
    .map((id) => read(id))
    .join("\n");
}

/** Everything that can be inflated in a worktree's pack files, whether or not an index names it. */
function rawContents(worktree: string): string {
  const folder = join(worktree, "..", "objects", "pack");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".pack"))
    .map((name) => {
      const bytes = readFileSync(join(folder, name));
      let text = "";
      for (let at = bytes.indexOf(0x78); at >= 0; at = bytes.indexOf(0x78, at + 1)) {
        try {
          text += inflateSync(bytes.subarray(at)).toString("latin1");
        } catch (thrown) {
          if (!(thrown instanceof Error)) throw thrown;
        }
      }
      return text;
    })
    .join("\n");
}

/** Puts a secret into each place where git keeps objects that no branch, tag or remote reaches. */
function hideSecrets(bench: Bench): void {
  const git = (...args: string[]) => bench.git(bench.repo, ...args);
  const put = (name: string, text: string) => bench.write(join(bench.repo, name), `${text}\n`);
  put("amended.txt", "secret-amended");
  put("large.txt", randomBytes(100_000).toString("hex"));
  put("dropped.txt", `secret-large-${randomBytes(100_000).toString("hex")}`);
  git("add", "--all");
  git("commit", "--quiet", "-m", "secret-message");
  for (const name of ["amended.txt", "dropped.txt"]) rmSync(join(bench.repo, name));
  put("kept.txt", "kept");
  git("add", "--all");
  git("commit", "--quiet", "--amend", "-m", "second");
  put("README.md", "secret-stashed");
  git("stash", "--quiet");
  git("checkout", "--quiet", "-b", "gone");
  put("branch.txt", "secret-branch");
  git("add", "--all");
  git("commit", "--quiet", "-m", "gone");
  git("checkout", "--quiet", "main");
  git("branch", "--quiet", "-D", "gone");
  git("tag", "-a", "-m", "secret-tag", "v0");
  git("tag", "-d", "v0");
  git("tag", "-a", "-m", "kept-tag", "v1");
  git("update-ref", "refs/private/x", git("commit-tree", "-m", "secret-ref", "HEAD^{tree}"));
  git("notes", "add", "-m", "secret-note");
  put("README.md", "secret-staged");
  git("add", "README.md");
}

proves(
  "WT-30",
  "objects that no branch, tag or remote reaches are not in a worktree: loose, packed or repacked",
  async () => {
    using bench = setUpBench();
    hideSecrets(bench);
    bench.git(bench.repo, "branch", "side");
    const stages = [[], ["repack", "-d", "--quiet"], ["gc", "--quiet"], ["repack", "-a", "-d", "-k", "--quiet"]];
    for (const [at, args] of stages.entries()) {
      if (args.length > 0) bench.git(bench.repo, ...args);
      const { path, id } = await bench.worktree({ name: `w${at}` });
      const seen = `${contentsOf(bench, path)}\n${rawContents(path)}`;
      expect(seen).toMatch(/kept-tag[\s\S]*kept-tag/);
      expect(seen).not.toContain("secret");
      expect(bench.git(path, "fsck", "--full", "--strict")).toBe("");
      expect(bench.git(path, "log", "--format=%s", "side")).toBe("second\nfirst");
      const fork = await bench.fork(id);
      expect(contentsOf(bench, fork.path)).not.toContain("secret");
      bench.git(bench.directory, "clone", "--quiet", "--mirror", path, `mirror${at}`);
      expect(contentsOf(bench, join(bench.directory, `mirror${at}`))).not.toContain("secret");
    }
  },
);

proves("WT-30", "a branch deleted since an earlier worktree does not come back", async () => {
  using bench = setUpBench();
  for (let n = 0; n < 30; n += 1) bench.git(bench.repo, "commit", "--quiet", "--allow-empty", "-m", `c${n}`);
  bench.git(bench.repo, "checkout", "--quiet", "-b", "feature");
  bench.write(join(bench.repo, "leak.txt"), "secret-pushed-by-mistake\n");
  bench.git(bench.repo, "add", "--all");
  bench.git(bench.repo, "commit", "--quiet", "-m", "leak");
  bench.git(bench.repo, "tag", "blob", bench.git(bench.repo, "rev-parse", "HEAD:leak.txt"));
  const first = await bench.worktree({ name: "first" });
  expect(contentsOf(bench, first.path)).toContain("secret");
  bench.git(bench.repo, "commit", "--quiet", "--amend", "--allow-empty", "-m", "still");
  bench.git(bench.repo, "checkout", "--quiet", "main");
  bench.git(bench.repo, "branch", "-D", "--quiet", "feature");
  expect(contentsOf(bench, (await bench.worktree({ name: "tagged" })).path)).toContain("secret");
  bench.git(bench.repo, "tag", "-d", "blob");
  for (const name of ["second", "third"]) {
    const { path } = await bench.worktree({ name });
    expect(`${contentsOf(bench, path)}${rawContents(path)}`).not.toContain("secret");
    expect(bench.git(path, "rev-list", "--count", "HEAD")).toBe("31");
  }
});

proves("WT-31", "a second worktree of a repository hard-links the packs of the first", async () => {
  using bench = setUpBench();
  const packs = (path: string) => {
    const folder = join(path, "..", "objects", "pack");
    return readdirSync(folder)
      .filter((name) => name.endsWith(".pack"))
      .map((name) => statSync(join(folder, name)).ino)
      .sort();
  };
  const [one, two] = [await bench.worktree({ name: "one" }), await bench.worktree({ name: "two" })];
  expect(packs(two.path)).toEqual(packs(one.path));
  for (let n = 0; n < 14; n += 1) {
    bench.write(join(bench.repo, "n.txt"), `${n}\n`);
    bench.git(bench.repo, "add", "--all");
    bench.git(bench.repo, "commit", "--quiet", "-m", `c${n}`);
    await bench.worktree({ name: `n${n}` });
  }
  const last = await bench.worktree({ name: "last" });
  expect(bench.git(last.path, "fsck", "--full", "--strict")).toBe("");
  expect(packs(last.path).length).toBeLessThan(12);
  expect(packs(last.path)).toContain(packs(one.path)[0]);
});

proves("WT-31", "many worktrees at once, and damaged packs of ours: every worktree is complete", async () => {
  using bench = setUpBench();
  const made = await Promise.all(["a", "b", "c"].map((name) => bench.worktree({ name })));
  for (const { path } of made) expect(bench.git(path, "fsck", "--full", "--strict")).toBe("");
  const stores = join(bench.directory, "home", "worktree-objects");
  const files = execFileSync("find", [stores, "-name", "*.pack"], { encoding: "utf8" }).trim().split("\n");
  for (const file of files) {
    const bytes = readFileSync(file);
    rmSync(file);
    writeFileSync(file, bytes);
    truncateSync(file, 10);
  }
  const { path } = await bench.worktree({ name: "after" });
  expect(bench.git(path, "fsck", "--full", "--strict")).toBe("");
  const lists = execFileSync("find", [stores, "-name", "*.json"], { encoding: "utf8" }).trim().split("\n");
  for (const file of lists) writeFileSync(file, "{ no json");
  expect(bench.git((await bench.worktree({ name: "again" })).path, "fsck", "--full", "--strict")).toBe("");
});

proves("WT-31", "partial, shallow and damaged repositories are a base as far as their objects go", async () => {
  using bench = setUpBench({ borrows: true });
  const at = (name: string) => join(bench.directory, name);
  bench.write(join(bench.repo, "README.md"), "second\n");
  bench.git(bench.repo, "commit", "--quiet", "--all", "-m", "second");
  bench.git(bench.repo, "config", "uploadpack.allowFilter", "true");
  for (const filter of ["blob:none", "tree:0"]) {
    const name = filter.replace(":", "-");
    bench.git(bench.repo, "clone", "--quiet", `--filter=${filter}`, `file://${bench.repo}`, at(name));
    const { path } = await bench.worktree({ cwd: at(name), name });
    expect(readFileSync(join(path, "README.md"), "utf8")).toBe("second\n");
    expect(bench.git(path, "log", "--format=%s")).toBe("second\nfirst");
  }
  // A ref to a missing object, as a crash leaves it.
  bench.write(join(bench.repo, ".git/refs/heads/broken"), `${"1".repeat(40)}\n`);
  expect(bench.git((await bench.worktree({ name: "broken" })).path, "log", "-1", "--format=%s")).toBe("second");
});
