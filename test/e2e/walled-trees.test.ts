import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import {
  eventsOf,
  expectOk,
  expectRefusal,
  linesOf,
  newFolder,
  PATIENCE,
  type Session,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const provesWall = proves.skipIf(!needs("bwrap"));
const strict = (body: object): Promise<Session> => start(daemon, { adapter: "demo", sandbox: "strict", ...body });
const outputOf = async (id: string): Promise<string> => (await linesOf(daemon, id)).join("\n");

describe.skipIf(!needs("bwrap"))("a strict session in a worktree", () => {
  provesWall(
    "WL-12",
    "a strict session commits in its worktree, and sees nothing of the original repository",
    async () => {
      using bench = setUpBench();
      const before = bench.portrait();
      const { id, cwd } = await strict({ cwd: bench.repo, worktree: true });
      await turn(
        daemon,
        id,
        "write made.txt hello\nrun git add --all && git commit -qm made && git log --format=%s -1",
      );
      expect(await outputOf(id)).toContain("made");
      await turn(daemon, id, `run cat ${bench.repo}/.git/config || echo unseen`);
      expect(await outputOf(id)).toContain("unseen");
      expect(await readFile(join(cwd, "made.txt"), "utf8")).toBe("hello");
      expect(bench.portrait()).toBe(before);
    },
  );

  provesWall(
    "WL-12",
    "a strict session cannot read objects that were never committed, by git or in the packs",
    async () => {
      using bench = setUpBench();
      const put = (text: string) => bench.write(join(bench.repo, "README.md"), `${text}\n`);
      put("secret-amended");
      bench.git(bench.repo, "commit", "--quiet", "--all", "-m", "wrong");
      put("right");
      bench.git(bench.repo, "commit", "--quiet", "--all", "--amend", "-m", "right");
      put("secret-stashed");
      bench.git(bench.repo, "stash", "--quiet");
      bench.git(bench.repo, "gc", "--quiet");
      put("secret-staged");
      bench.git(bench.repo, "add", "--all");
      const { id } = await strict({ cwd: bench.repo, worktree: true });
      const objects = "$(cat .git/objects/info/alternates)";
      await turn(
        daemon,
        id,
        `run git cat-file --batch-all-objects --batch\nrun ls -la ${objects} ${objects}/pack ${objects}/..; git reflog --all; git stash list; git fsck --unreachable --no-reflogs`,
      );
      const seen = await outputOf(id);
      expect(seen).toContain("right");
      expect(seen).not.toMatch(/secret|unreachable (blob|commit)|stash@/);
    },
  );

  provesWall("WL-12", "a strict session cannot write outside its scope, where the scope is a directory", async () => {
    using bench = setUpBench();
    const { id, cwd } = await strict({ cwd: bench.repo, scope: { allow: ["src/**"] } });
    await turn(daemon, id, "run mkdir -p src && echo in > src/in.txt; echo out > out.txt || echo walled");
    expect(await outputOf(id)).toContain("walled");
    expect(existsSync(join(cwd, "src/in.txt"))).toBe(true);
    expect(existsSync(join(cwd, "out.txt"))).toBe(false);
    const explained = expectOk(await daemon.call<object>("GET", `/sessions/${id}/sandbox`));
    expect(JSON.stringify(explained)).toContain("the scope");
  });

  provesWall(
    "WL-13",
    "a strict session cannot plant a hook in an existing repository; its own repository is writable",
    async () => {
      using bench = setUpBench();
      const before = bench.portrait();
      const { id } = await strict({ cwd: bench.repo });
      await turn(
        daemon,
        id,
        "run echo evil > .git/hooks/post-checkout || echo walled\nrun git config user.name evil || echo kept",
      );
      expect(await outputOf(id)).toMatch(/walled[\s\S]*kept/);
      await turn(daemon, id, "run mv .git aside || echo pinned");
      expect(bench.portrait()).toBe(before);
      const side = await newFolder();
      mkdirSync(join(side, "team"));
      execFileSync("git", ["clone", "-q", bench.repo, join(side, "team/one")]);
      const beside = await strict({ cwd: side });
      await turn(
        daemon,
        beside.id,
        "run echo evil > team/one/.git/hooks/pre-commit || echo walled\nrun mv team moved || echo pinned\nrun echo x > team/one/file && echo works",
      );
      expect(await outputOf(beside.id)).toMatch(/walled[\s\S]*pinned[\s\S]*works/);
      await turn(daemon, id, "run mkdir own && cd own && git init -q && touch .git/mine");
      await turn(daemon, id, "run touch own/.git/again && echo own");
      expect(await outputOf(id)).toMatch(/pinned[\s\S]*own/);
    },
  );
});

provesWall(
  "WL-13",
  "a strict session cannot plant hooks below node_modules or deep down; a repository it makes is reported",
  async () => {
    using bench = setUpBench();
    const side = await newFolder();
    const deep = "a/b/c/d/e/f/g";
    for (const place of ["node_modules/dep", deep]) {
      mkdirSync(join(side, place), { recursive: true });
      execFileSync("git", ["clone", "-q", bench.repo, join(side, place, "repo")]);
    }
    const { id } = await strict({ cwd: side });
    const plant = (place: string) => `run git -C ${place}/repo config core.fsmonitor 'touch planted' || echo walled`;
    await turn(
      daemon,
      id,
      `${plant("node_modules/dep")}\n${plant(deep)}\nrun touch node_modules/dep/repo/file && echo works`,
    );
    expect(await outputOf(id)).toMatch(/walled[\s\S]*walled[\s\S]*works/);
    for (const place of ["node_modules/dep", deep])
      expect(await readFile(join(side, place, "repo/.git/config"), "utf8")).not.toContain("fsmonitor");
    const explain = async () => JSON.stringify(expectOk(await daemon.call<object>("GET", `/sessions/${id}/sandbox`)));
    expect(await explain()).not.toContain("not there when it began");
    await turn(
      daemon,
      id,
      "run mkdir -p own bare && git -C own init -q && git -C bare init -q --bare && echo x > file/.git || mkdir g && echo 'gitdir: ../bare' > g/.git",
    );
    expect(await explain()).toMatch(/not there when it began[^"]*bare[^"]*g\/\.git[^"]*own\/\.git/);
  },
);

provesWall("WL-13", "`sandbox run` protects git dirs too", async () => {
  using bench = setUpBench();
  const before = bench.portrait();
  const argv = ["sh", "-c", "git config core.fsmonitor evil || echo walled; echo x > file && echo works"];
  const body = { argv, cwd: bench.repo };
  const ran = expectOk(await daemon.call<{ stdout: string }>("POST", "/api/sandbox/run", body));
  expect(ran.stdout).toBe("walled\nworks\n");
  execFileSync("rm", [join(bench.repo, "file")]);
  expect(bench.portrait()).toBe(before);
});

provesWall("WL-13", "a strict session cannot plant a hook in a repository with an unusual layout", async () => {
  using bench = setUpBench();
  const side = await newFolder();
  const at = (path: string) => join(side, path);
  execFileSync("git", ["clone", "-q", "--bare", bench.repo, at("proj/.bare")]);
  writeFileSync(at("proj/.git"), "gitdir: ./.bare\n");
  const { id } = await strict({ cwd: at("proj") });
  await turn(
    daemon,
    id,
    "run echo evil > .bare/hooks/post-checkout || echo walled\nrun mv .bare x || echo pinned\nrun echo x > file",
  );
  expect(await outputOf(id)).toMatch(/walled[\s\S]*pinned/);
  expect([existsSync(at("proj/.bare/hooks/post-checkout")), existsSync(at("proj/file"))]).toEqual([false, true]);

  execFileSync("git", ["clone", "-q", bench.repo, at("linked")]);
  renameSync(at("linked/.git"), at("linked/store"));
  symlinkSync("store", at("linked/.git"));
  for (const cwd of [at("linked"), at("proj/.bare")]) {
    const body = { adapter: "demo", sandbox: "strict", cwd };
    const refusal = expectRefusal(await daemon.call("POST", "/sessions/agent", body), 409, "sandbox_unavailable");
    expect(JSON.stringify(refusal)).toContain("worktree: true");
  }
  const { cwd: tree } = await strict({ cwd: at("proj/.bare"), worktree: true });
  expect(existsSync(join(tree, "README.md"))).toBe(true);
});

proves.skipIf(!needs("bwrap"))(
  "SN-14",
  "a fork of a session with a worktree gets its own worktree, with the files of its point",
  async () => {
    using bench = setUpBench();
    const { id, cwd } = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
    await turn(daemon, id, "write kept.txt one");
    const ends = (await eventsOf(daemon, id)).filter(({ type }) => type === "turn.ended@1");
    await turn(daemon, id, "write kept.txt two\nwrite later.txt x");
    const fork = expectOk(await daemon.call<Session>("POST", `/sessions/${id}/fork`, { at: ends[0]?.id }), 201);
    expect(fork.cwd).not.toBe(cwd);
    expect(await readFile(join(fork.cwd, "kept.txt"), "utf8")).toBe("one");
    expect(existsSync(join(fork.cwd, "later.txt"))).toBe(false);
    await turn(daemon, fork.id, "run git status --short && git log --oneline -1 && git branch --show-current");
    expect(await outputOf(fork.id)).toContain(`nomos/${fork.name}`);
    expect(await readFile(join(cwd, "kept.txt"), "utf8")).toBe("two");
  },
);
