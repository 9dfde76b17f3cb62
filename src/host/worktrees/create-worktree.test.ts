import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { setUpBench } from "../../../test/support/worktree-bench.ts";

proves("WT-1", "a worktree has the base on its own branch, and git works in it", async () => {
  using bench = setUpBench();
  const { path, branch, cwd } = await bench.worktree();
  expect([branch, cwd]).toEqual(["nomos/brave-otter-3f", path]);
  const git = (...args: string[]) => bench.git(path, ...args);
  expect(git("status", "--porcelain", "--branch")).toBe("## nomos/brave-otter-3f");
  expect(readFileSync(join(path, "src/main.ts"), "utf8")).toBe("export const one = 1;\n");
  bench.write(join(path, "src/two.ts"), "export const two = 2;\n");
  git("add", "--all");
  git("commit", "--quiet", "-m", "second");
  expect(git("log", "-1", "--format=%an %ae %s")).toBe("Ada Person ada@example.org second");
  bench.write(join(path, "README.md"), "changed\n");
  expect(git("diff", "--stat")).toContain("README.md");
  git("stash");
  git("branch", "other", "main");
  git("checkout", "--quiet", "other");
  git("rebase", "--quiet", "nomos/brave-otter-3f");
  git("stash", "pop", "--quiet");
  git("commit", "--quiet", "--all", "-m", "third");
  expect(git("log", "--format=%s")).toBe("third\nsecond\nfirst");
  expect(git("fsck", "--full", "--strict", "--no-dangling")).toBe("");
  git("gc", "--quiet", "--prune=now");
  expect(git("log", "--format=%s", "main")).toBe("first");
});

proves("WT-1", "commits carry the person's identity, also where the agent has another home", async () => {
  using bench = setUpBench();
  bench.git(bench.repo, "config", "user.email", "ada@work.example");
  const { path } = await bench.worktree();
  const read = (name: string) =>
    execFileSync("git", ["config", name], {
      cwd: path,
      env: { PATH: process.env["PATH"], HOME: "/nonexistent" },
      encoding: "utf8",
    }).trim();
  expect([read("user.name"), read("user.email")]).toEqual(["Ada Person", "ada@work.example"]);
});

proves("WT-1", "remotes are copied without their logins; remotes that run a program are left out", async () => {
  using bench = setUpBench();
  const urls = {
    origin: "https://ada:s3cret@example.org/a.git?token=t",
    up: "ssh://git:pw@example.org/b",
    scp: "git@example.org:c.git",
    evil: "ext::sh -c touch% /tmp/x",
    bare: "ada:s3cret@example.org/d.git",
    half: "https:/ada:s3cret@example.org/e.git",
  };
  for (const [name, url] of Object.entries(urls)) bench.git(bench.repo, "config", `remote.${name}.url`, url);
  const { path } = await bench.worktree();
  const config = readFileSync(join(path, ".git/config"), "utf8");
  expect(config).not.toMatch(/s3cret|pw|token|ext::/);
  expect(bench.git(path, "config", "--get-regexp", "remote\\..*\\.url").split("\n").sort()).toEqual([
    "remote.origin.url https://example.org/a.git",
    "remote.scp.url git@example.org:c.git",
    "remote.up.url ssh://git@example.org/b",
  ]);
});

proves("WT-2", "creating, using and removing a worktree does not touch the user's repository", async () => {
  using bench = setUpBench();
  bench.write(join(bench.repo, "README.md"), "not committed\n");
  bench.write(join(bench.repo, "untracked.txt"), "x");
  bench.git(bench.repo, "tag", "v1");
  const before = bench.portrait();
  const { path, id } = await bench.worktree();
  expect(bench.portrait()).toBe(before);
  bench.write(join(path, "src/main.ts"), "changed\n");
  bench.git(path, "commit", "--quiet", "--all", "-m", "change");
  bench.git(path, "branch", "--force", "main", "HEAD");
  bench.git(path, "tag", "--delete", "v1");
  bench.git(path, "config", "core.hooksPath", "/tmp/x");
  bench.git(path, "reflog", "expire", "--expire=now", "--all");
  bench.git(path, "gc", "--quiet", "--prune=now");
  expect(bench.portrait()).toBe(before);
  bench.git(path, "reset", "--hard", "--quiet", "main~1");
  await bench.yard.work(id);
  await bench.yard.remove(id);
  expect(bench.portrait()).toBe(before);
});

proves("WT-3", "`git prune` in the user's repository does not break the worktree", async () => {
  using bench = setUpBench();
  bench.git(bench.repo, "checkout", "--quiet", "-b", "feature");
  bench.write(join(bench.repo, "feature.txt"), "only here\n");
  bench.git(bench.repo, "add", "--all");
  bench.git(bench.repo, "commit", "--quiet", "-m", "feature");
  for (const packed of [false, true]) {
    if (packed) bench.git(bench.repo, "gc", "--quiet");
    const { path, objects } = await bench.worktree({ base: "feature", name: `p${packed}` });
    expect(objects).toBe("linked");
    bench.write(join(bench.directory, "keep"), path);
    bench.git(bench.repo, "checkout", "--quiet", "main");
    bench.git(bench.repo, "branch", "-D", "feature");
    bench.git(bench.repo, "reflog", "expire", "--expire=now", "--all");
    bench.git(bench.repo, "gc", "--quiet", "--prune=now");
    expect(bench.git(path, "fsck", "--full", "--strict")).toBe("");
    expect(bench.git(path, "log", "--format=%s")).toBe("feature\nfirst");
    bench.git(bench.repo, "fetch", "--quiet", path, `nomos/p${packed}:feature`);
    bench.git(bench.repo, "checkout", "--quiet", "feature");
  }
});

proves("WT-3", "a worktree made while git packs the repository is whole", async () => {
  using bench = setUpBench();
  mkdirSync(join(bench.repo, "many"));
  for (let n = 0; n < 1500; n += 1) writeFileSync(join(bench.repo, "many", `${n}`), `${n}\n`);
  bench.git(bench.repo, "add", "--all");
  // Git would pack now and then by itself, in the background.
  bench.git(bench.repo, "-c", "gc.auto=0", "commit", "--quiet", "-m", "many");
  const packing = once(spawn("git", ["-C", bench.repo, "gc", "--quiet"]), "exit");
  const { path } = await bench.worktree();
  expect(await packing).toEqual([0, null]);
  expect(bench.git(path, "fsck", "--full", "--strict")).toBe("");
  expect(bench.git(path, "status", "--porcelain")).toBe("");
});

proves("WT-4", "the person takes the work over with a plain git fetch", async () => {
  using bench = setUpBench();
  const { path, branch } = await bench.worktree();
  bench.write(join(path, "new.txt"), "new\n");
  bench.git(path, "add", "--all");
  bench.git(path, "commit", "--quiet", "-m", "work");
  bench.git(bench.repo, "fetch", "--quiet", path, branch);
  expect(bench.git(bench.repo, "log", "-1", "--format=%s", "FETCH_HEAD")).toBe("work");
  bench.git(bench.repo, "fetch", "--quiet", path, `${branch}:${branch}`);
  bench.git(bench.repo, "merge", "--quiet", "--ff-only", branch);
  expect(bench.git(bench.repo, "fsck", "--full", "--strict")).toBe("");
  expect(readFileSync(join(bench.repo, "new.txt"), "utf8")).toBe("new\n");
});

proves("WT-4", "a plain `git clone` of a worktree works", async () => {
  using bench = setUpBench();
  const { path } = await bench.worktree();
  bench.git(bench.directory, "clone", "--quiet", path, "cloned");
  bench.git(bench.directory, "clone", "--quiet", "--no-local", path, "fetched");
  expect(bench.git(join(bench.directory, "cloned"), "fsck", "--full")).toBe("");
  expect(readFileSync(join(bench.directory, "cloned/README.md"), "utf8")).toBe("hello\n");
});

proves("WT-5", "files that git does not track are carried by rule, as a copy and never as a link", async () => {
  using bench = setUpBench({ carryBytesMax: 100_000 });
  bench.write(join(bench.repo, ".env"), "KEY=1\n");
  bench.write(join(bench.repo, "packages/a/.env.local"), "KEY=2\n");
  bench.write(join(bench.repo, "packages/a/index.ts"), "a");
  bench.git(bench.repo, "add", "packages");
  bench.git(bench.repo, "commit", "--quiet", "-m", "packages");
  bench.write(join(bench.repo, "node_modules/left/index.js"), "left");
  bench.write(join(bench.repo, "packages/a/node_modules/big.bin"), "x".repeat(200_000));
  bench.write(join(bench.repo, "ignored/build.txt"), "built");
  symlinkSync("../../packages/a", join(bench.repo, "node_modules/left/inside"));
  symlinkSync(join(bench.repo, "README.md"), join(bench.repo, "node_modules/left/absolute"));
  symlinkSync("../../../repo/README.md", join(bench.repo, "node_modules/left/out"));
  symlinkSync(join(bench.repo, "README.md"), join(bench.repo, ".env.link"));
  const { path, carried, notCarried } = await bench.worktree();
  expect(carried.map((one) => one.path).sort()).toEqual([".env", "node_modules", "packages/a/.env.local"]);
  expect(notCarried.map((one) => one.path).sort()).toEqual([".env.link", "packages/a/node_modules"]);
  expect(readdirSync(join(path, "node_modules/left")).sort()).toEqual(["index.js", "inside"]);
  expect(existsSync(join(path, "ignored"))).toBe(false);
  writeFileSync(join(path, ".env"), "KEY=changed\n");
  writeFileSync(join(path, "node_modules/left/index.js"), "changed");
  expect(readFileSync(join(bench.repo, ".env"), "utf8")).toBe("KEY=1\n");
  expect(readFileSync(join(bench.repo, "node_modules/left/index.js"), "utf8")).toBe("left");
});

proves(
  "WT-6",
  "a missing base, or a directory without a repository, is refused and leaves nothing behind",
  async () => {
    using bench = setUpBench();
    await expect(bench.worktree({ base: "gone" })).rejects.toMatchObject({ code: "worktree_base_missing" });
    await expect(bench.worktree({ base: "--all" })).rejects.toMatchObject({ code: "worktree_base_missing" });
    await expect(bench.worktree({ base: "main\0x" })).rejects.toThrow();
    mkdirSync(join(bench.directory, "plain"));
    await expect(bench.worktree({ cwd: join(bench.directory, "plain") })).rejects.toMatchObject({
      code: "not_a_repository",
    });
    expect(await bench.yard.list()).toEqual([]);
  },
);

proves("WT-6", "every layout of a repository can be a base", async () => {
  using bench = setUpBench({ borrows: true });
  const made = async (cwd: string, name: string) => {
    const before = bench.portrait(cwd);
    const tree = await bench.worktree({ cwd, name });
    expect(bench.git(tree.path, "status", "--porcelain")).toBe("");
    expect(bench.git(tree.path, "fsck", "--full")).toBe("");
    expect(bench.portrait(cwd)).toBe(before);
    return tree;
  };
  const at = (name: string) => join(bench.directory, name);
  bench.git(bench.repo, "clone", "--quiet", "--bare", bench.repo, at("bare.git"));
  expect(readFileSync(join((await made(at("bare.git"), "bare")).path, "README.md"), "utf8")).toBe("hello\n");
  bench.git(bench.repo, "clone", "--quiet", "--shared", bench.repo, at("shared"));
  await made(at("shared"), "shared");
  bench.git(bench.repo, "commit", "--quiet", "--allow-empty", "-m", "second");
  bench.git(bench.repo, "clone", "--quiet", "--depth=1", `file://${bench.repo}`, at("shallow"));
  expect(bench.git((await made(at("shallow"), "shallow")).path, "rev-list", "--count", "HEAD")).toBe("1");
  bench.git(bench.repo, "worktree", "add", "--quiet", "-b", "side", at("linked"));
  const linked = await made(at("linked"), "linked");
  expect(bench.git(linked.path, "log", "-1", "--format=%D")).toContain("side");
  const below = await made(join(bench.repo, "src"), "below");
  expect(below.cwd).toBe(join(below.path, "src"));
});

proves("WT-6", "an empty repository gives a branch without a commit", async () => {
  using bench = setUpBench({ commit: false });
  const { path, base, id } = await bench.worktree();
  expect(base).toBeNull();
  expect((await bench.yard.work(id)).unclear).toBeNull();
  bench.write(join(path, "a"), "a");
  bench.git(path, "add", "a");
  bench.git(path, "commit", "--quiet", "-m", "a");
  expect(bench.git(path, "log", "--format=%s %D")).toBe("a HEAD -> nomos/brave-otter-3f");
  expect((await bench.yard.work(id)).commits).toHaveLength(1);
});

proves("WT-6", "the object format of the base is kept", async () => {
  using bench = setUpBench({ init: ["--object-format=sha256"] });
  const { path, id, base } = await bench.worktree();
  expect(base).toHaveLength(64);
  expect(bench.git(path, "rev-parse", "--show-object-format")).toBe("sha256");
  bench.write(join(path, "a"), "a");
  bench.git(path, "add", "a");
  bench.git(path, "commit", "--quiet", "-m", "a");
  expect((await bench.yard.work(id)).commits).toHaveLength(1);
});

proves(
  "WT-6",
  "a partial clone is a base if its files are present, and is refused with that reason if not",
  async () => {
    using bench = setUpBench();
    const partial = join(bench.directory, "partial");
    bench.git(bench.repo, "config", "uploadpack.allowFilter", "true");
    bench.git(bench.repo, "clone", "--quiet", "--filter=blob:none", `file://${bench.repo}`, partial);
    await expect(bench.worktree({ cwd: partial })).resolves.toMatchObject({ state: "present" });
    bench.git(
      bench.repo,
      "clone",
      "--quiet",
      "--filter=blob:none",
      "--no-checkout",
      `file://${bench.repo}`,
      `${partial}2`,
    );
    await expect(bench.worktree({ cwd: `${partial}2` })).rejects.toMatchObject({ code: "worktree_base_incomplete" });
    expect(readdirSync(bench.yard.folder)).toHaveLength(1);
  },
);

proves("WT-6", "submodules stay empty, LFS pointers stay pointers, odd names stay as they are", async () => {
  using bench = setUpBench();
  const odd = Buffer.concat([Buffer.from(`${bench.repo}/`), Buffer.from([0xff, 0x41, 0x0a, 0x22])]);
  writeFileSync(odd, "odd");
  for (const name of ["Case", "case", "-rf", "with space", "émoji😀"]) bench.write(join(bench.repo, name), name);
  bench.write(join(bench.repo, ".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt text eol=crlf\n");
  bench.write(join(bench.repo, "model.bin"), "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n");
  symlinkSync("README.md", join(bench.repo, "link"));
  bench.git(bench.directory, "clone", "--quiet", bench.repo, "sub");
  bench.git(bench.repo, "submodule", "--quiet", "add", join(bench.directory, "sub"), "vendor/sub");
  execFileSync("mkfifo", [join(bench.repo, "pipe")]);
  bench.git(bench.repo, "add", "--all");
  bench.git(bench.repo, "commit", "--quiet", "-m", "odd");
  const { path, id } = await bench.worktree();
  expect(bench.git(path, "status", "--porcelain")).toBe("");
  expect(readFileSync(join(path, "model.bin"), "utf8")).toContain("git-lfs");
  expect(readdirSync(join(path, "vendor/sub"))).toEqual([]);
  expect(readFileSync(Buffer.concat([Buffer.from(`${path}/`), odd.subarray(bench.repo.length + 1)]), "utf8")).toBe(
    "odd",
  );
  expect(await bench.yard.work(id)).toMatchObject({ unclear: null, changed: [], untracked: [] });
});
