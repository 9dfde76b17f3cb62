import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import { expectOk, expectRefusal, newFolder, PATIENCE, type Session, start } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const listed = async (): Promise<number> =>
  expectOk(await daemon.call<{ worktrees: [] }>("GET", "/api/worktrees")).worktrees.length;

proves("WT-16", "a fork of a session that replaced its git dir is refused by name, whatever is there", async () => {
  using bench = setUpBench();
  const { id, cwd } = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
  const before = await listed();
  const git = join(cwd, ".git");
  await rename(git, join(cwd, "aside"));
  const put: readonly (() => unknown)[] = [
    () => undefined,
    () => symlink(join(bench.repo, ".git"), git),
    () => writeFile(git, `gitdir: ${bench.repo}/.git\n`),
    () => execFileSync("mkfifo", [git]),
    () => mkdir(git),
  ];
  for (const each of put) {
    await each();
    expectRefusal(await daemon.call("POST", `/sessions/${id}/fork`, {}), 400, "repository_invalid");
    await rm(git, { recursive: true, force: true });
  }
  await rename(join(cwd, "aside"), git);
  expect(await listed()).toBe(before);
  expect(existsSync(expectOk(await daemon.call<Session>("POST", `/sessions/${id}/fork`, {}), 201).cwd)).toBe(true);
});

proves("WT-16", "a kept worktree whose folder has become a link cannot be used again", async () => {
  using bench = setUpBench();
  const { id, cwd } = await start(daemon, { adapter: "demo", cwd: join(bench.repo, "src"), worktree: true });
  await rename(cwd, `${cwd}-aside`);
  await symlink(await newFolder(), cwd);
  expectOk(await daemon.call("POST", `/sessions/${id}/kill`, {}));
  const attach = () => daemon.call("POST", `/api/worktrees/${id}/attach`, { adapter: "demo" });
  expectRefusal(await attach(), 400, "cwd_missing");
  await rm(cwd);
  await rename(`${cwd}-aside`, cwd);
  expectOk(await attach(), 201);
});

proves(
  "WT-16",
  "a worktree with pipes in its git dir is shown, skipped by collections and kept, without a wait",
  async () => {
    using bench = setUpBench();
    const { id, cwd } = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
    for (const name of ["packed-refs", "shallow"]) {
      await rm(join(cwd, ".git", name), { force: true });
      execFileSync("mkfifo", [join(cwd, ".git", name)]);
    }
    const shown = expectOk(await daemon.call<{ work: object }>("GET", `/api/worktrees/${id}`));
    expect(shown.work).toMatchObject({ unclear: expect.stringContaining("packed-refs") });
    expectOk(await daemon.call("POST", `/sessions/${id}/kill`, {}));
    expect(expectOk(await daemon.call("POST", "/api/worktrees/gc", {}))).toMatchObject({
      kept: expect.arrayContaining([id]),
    });
  },
);

proves(
  "WT-16",
  "a repository that points to another one is refused as a base, and a link in the base as a working directory",
  async () => {
    using bench = setUpBench();
    const before = await listed();
    const spawn = (body: object) =>
      daemon.call("POST", "/sessions/agent", { adapter: "demo", worktree: true, ...body });
    const outside = await newFolder();
    bench.git(bench.repo, "clone", "--quiet", "--shared", bench.repo, join(bench.directory, "borrows"));
    const borrows = { cwd: join(bench.directory, "borrows") };
    expectRefusal(await spawn(borrows), 400, "repository_invalid");
    bench.git(bench.repo, "checkout", "--quiet", "-b", "evil");
    await rm(join(bench.repo, "src"), { recursive: true });
    await symlink(outside, join(bench.repo, "src"));
    bench.git(bench.repo, "add", "--all");
    bench.git(bench.repo, "commit", "--quiet", "-m", "link");
    bench.git(bench.repo, "checkout", "--quiet", "main");
    await mkdir(join(bench.repo, "src/deep"));
    expectRefusal(await spawn({ cwd: join(bench.repo, "src/deep"), base: "evil" }), 400, "cwd_missing");
    expect([await readdir(outside), await listed()]).toEqual([[], before]);
    await daemon.cli("config", "set", "worktree.alternates", "true");
    expectOk(await spawn(borrows), 201);
  },
);
