import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { sampled } from "../support/sampled.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import {
  approvalsOf,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  idle,
  newFolder,
  PATIENCE,
  pendingOf,
  prompt,
  type Session,
  start,
  turn,
} from "./support/talk.ts";

vi.setConfig(PATIENCE);

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder).toSorted() : []);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Tree {
  readonly id: string;
  readonly path: string;
  readonly branch: string;
  readonly fetch: string;
  readonly state: string;
  readonly sessions: readonly string[];
  readonly work: { readonly [kind: string]: unknown };
}

const showTree = async (id: string, on = daemon): Promise<Tree> =>
  expectOk(await on.call<Tree>("GET", `/api/worktrees/${id}`));
const typesOf = async (id: string): Promise<readonly string[]> => (await eventsOf(daemon, id)).map(({ type }) => type);
const kill = async (id: string) => expectOk(await daemon.call("POST", `/sessions/${id}/kill`, {}));

proves("WT-11", "a session with a worktree works there, and the user's repository is unchanged", async () => {
  using bench = setUpBench();
  bench.git(bench.repo, "config", "user.name", "Ada Person");
  const before = bench.portrait();
  const session = await start(daemon, { adapter: "demo", cwd: join(bench.repo, "src"), worktree: true });
  const tree = await showTree(session.id);
  expect(session.cwd).toBe(join(tree.path, "src"));
  expect(tree).toMatchObject({ branch: `nomos/${session.name}`, state: "present", sessions: [session.id] });
  expect(await typesOf(session.id)).toContain("worktree.created@1");
  const script = [
    "write made.txt hello",
    "run git add --all && git commit -qm made && git log --format=%an%x20%s -2",
    "run git fsck",
  ];
  expect(await turn(daemon, session.id, script.join("\n"))).toMatchObject({ outcome: "completed" });
  const said = (await eventsOf(daemon, session.id, "types=effect.output")).map(({ data }) => data["text"]).join("");
  expect(said).toContain("Ada Person made");
  expect(bench.portrait()).toBe(before);
  execFileSync("sh", ["-c", tree.fetch], { cwd: bench.repo });
  expect(bench.git(bench.repo, "log", "-1", "--format=%s", tree.branch)).toBe("made");
});

proves("WT-11", "a worktree is one flag on the command line, and the list shows it", async () => {
  using bench = setUpBench();
  bench.git(bench.repo, "tag", "v1");
  const ran = await daemon.cli(
    "run",
    "-a",
    "demo",
    "-C",
    bench.repo,
    "--base",
    "v1",
    "--detach",
    "--json",
    "say hello",
  );
  const { id, cwd } = ran.json<Session>();
  expect(cwd).toContain(`/worktrees/${id}/tree`);
  const listed = (await daemon.cli("worktree", "list", "--json")).json<{ worktrees: Tree[] }>();
  expect(listed.worktrees.map((tree) => tree.id)).toContain(id);
  const scope = JSON.stringify({ allow: ["src"] });
  const scoped = await daemon.cli("session", "start", "demo", "--cwd", bench.repo, "--scope", scope, "--json");
  expect(scoped.json<Session>().cwd).toContain("/worktrees/");
});

proves("WT-11", "an invalid repository, base or scope is refused and leaves nothing behind", async () => {
  using bench = setUpBench();
  const count = async () => expectOk(await daemon.call<{ worktrees: [] }>("GET", "/api/worktrees")).worktrees.length;
  const before = await count();
  const spawn = (body: object) => daemon.call("POST", "/sessions/agent", { adapter: "demo", cwd: bench.repo, ...body });
  const plain = await newFolder();
  expectRefusal(await spawn({ cwd: plain, worktree: true }), 400, "not_a_repository");
  expectRefusal(await spawn({ cwd: plain, scope: { allow: ["a"] } }), 400, "not_a_repository");
  expectRefusal(await spawn({ worktree: true, base: "gone" }), 400, "worktree_base_missing");
  expectRefusal(await spawn({ scope: { allow: ["../up"] } }), 400, "scope_invalid");
  await mkdir(join(plain, "trap"));
  await writeFile(join(plain, "trap", ".git"), `gitdir: ${bench.repo}/.git\n`);
  expectRefusal(await spawn({ cwd: join(plain, "trap"), worktree: true }), 400, "repository_invalid");
  expect(await count()).toBe(before);
});

proves("WT-12", "a session that ends removes its worktree, unless work would be lost", async () => {
  using bench = setUpBench();
  const open = () => start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
  const [clean, dirty, forgotten] = [await open(), await open(), await open()];
  await turn(daemon, dirty.id, "write notes.md only here");
  expectRefusal(await daemon.call("DELETE", `/api/worktrees/${dirty.id}`), 409, "worktree_in_use");
  await kill(clean.id);
  await kill(dirty.id);
  expectOk(await daemon.call("DELETE", `/sessions/${forgotten.id}`));
  expect([clean, forgotten].map(({ cwd }) => existsSync(cwd))).toEqual([false, false]);
  expect((await typesOf(clean.id)).at(-1)).toBe("worktree.removed@1");
  const kept = (await eventsOf(daemon, dirty.id)).at(-1);
  expect(kept).toMatchObject({ type: "worktree.kept@1", data: { work: { untracked: ["notes.md"] } } });
  const refused = await daemon.call("DELETE", `/api/worktrees/${dirty.id}`);
  expect(expectRefusal(refused, 409, "worktree_has_work").details).toMatchObject({ untracked: ["notes.md"] });
  expect(expectOk(await daemon.call("POST", "/api/worktrees/gc", {}))).toMatchObject({
    kept: expect.arrayContaining([dirty.id]),
  });
  expect(await readFile(join(dirty.cwd, "notes.md"), "utf8")).toBe("only here");
});

proves("WT-12", "a kept worktree can be used again, and a fork gets its own", async () => {
  using bench = setUpBench();
  const first = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
  await turn(daemon, first.id, "write a.txt a\nrun git add --all && git commit -qm a");
  const fork = expectOk(await daemon.call<Session>("POST", `/sessions/${first.id}/fork`, {}), 201);
  expect(fork.cwd).not.toBe(first.cwd);
  expect(await readFile(join(fork.cwd, "a.txt"), "utf8")).toBe("a");
  await turn(daemon, fork.id, "write b.txt b\nrun git add --all && git commit -qm b");
  expect(existsSync(join(first.cwd, "b.txt"))).toBe(false);
  expect(bench.git(fork.cwd, "log", "--format=%s %D").split("\n")[0]).toBe(`b HEAD -> nomos/${fork.name}`);
  await kill(first.id);
  const attached = expectOk(
    await daemon.call<Session>("POST", `/api/worktrees/${first.id}/attach`, { adapter: "demo" }),
    201,
  );
  expect(attached.cwd).toBe(first.cwd);
  expectRefusal(
    await daemon.call("POST", `/api/worktrees/${first.id}/attach`, { adapter: "demo" }),
    409,
    "worktree_in_use",
  );
  expect(await turn(daemon, attached.id, "write c.txt c")).toMatchObject({ outcome: "completed" });
  await kill(attached.id);
  expect(await showTree(first.id)).toMatchObject({
    work: { untracked: ["c.txt"], commits: [expect.stringContaining(" a")] },
  });
});

proves("WT-12", "a folder moved by hand is reported as missing, and works again when it is back", async () => {
  using bench = setUpBench();
  const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
  const { path } = await showTree(session.id);
  await rename(path, `${path}-moved`);
  expect(await showTree(session.id)).toMatchObject({ state: "missing" });
  await turn(daemon, session.id, "run true");
  expect((await eventsOf(daemon, session.id, "types=effect.settled")).at(-1)?.data["outcome"]).toBe("failed");
  await rename(`${path}-moved`, path);
  expect(await turn(daemon, session.id, "run git status")).toMatchObject({ outcome: "completed" });
});

proves(
  "WT-13",
  "a daemon killed at any moment of making or removing worktrees finds each complete or absent",
  async () => {
    using bench = setUpBench();
    for (let n = 0; n < 3000; n += 1) bench.write(join(bench.repo, `many/${n % 50}/${n}.txt`), `${n}\n`);
    bench.git(bench.repo, "add", "--all");
    bench.git(bench.repo, "commit", "--quiet", "-m", "many");
    const before = bench.portrait();
    let own = await startDaemon();
    const { home } = own;
    for (const waitMs of sampled([30, 80, 150, 250, 400], [80, 250])) {
      const asked = own
        .call<Session>("POST", "/sessions/agent", { adapter: "demo", cwd: bench.repo, worktree: true })
        .catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await own.kill9();
      await asked;
      own = await startDaemon({ home });
      const { worktrees } = expectOk(await own.call<{ worktrees: Tree[] }>("GET", "/api/worktrees"));
      expect(namesIn(join(home, "worktrees"))).toEqual(worktrees.map(({ id }) => id).toSorted());
      for (const { path, sessions } of worktrees) {
        expect(sessions).toHaveLength(1);
        expect(bench.git(path, "status", "--porcelain")).toBe("");
      }
      const [some] = worktrees;
      if (some === undefined) continue;
      const removing = own.call("POST", `/sessions/${some.id}/kill`, {}).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await own.kill9();
      await removing;
      own = await startDaemon({ home });
      for (const { path } of expectOk(await own.call<{ worktrees: Tree[] }>("GET", "/api/worktrees")).worktrees)
        expect(bench.git(path, "status", "--porcelain")).toBe("");
      expect(namesIn(join(home, "worktrees")).filter((name) => name.startsWith("."))).toEqual([]);
    }
    expect(bench.portrait()).toBe(before);
  },
);

proves(
  "WT-14",
  "a turn's changes outside its scope are put back, reported with the rule, and offered for approval",
  async () => {
    using bench = setUpBench();
    bench.write(join(bench.repo, "src/secret/key.txt"), "key\n");
    bench.write(join(bench.repo, "docs/a.md"), "a\r\n");
    bench.write(join(bench.repo, ".gitattributes"), "*.md text eol=lf\n");
    bench.git(bench.repo, "add", "--all");
    bench.git(bench.repo, "commit", "--quiet", "-m", "more");
    const scope = { allow: ["src/**", "*.txt"], deny: ["src/secret"] };
    const session = await start(daemon, { adapter: "demo", cwd: bench.repo, scope });
    const at = (path: string) => readFile(join(session.cwd, path), "utf8").catch(() => null);
    const before = [await at("README.md"), await at("docs/a.md")];
    const script = [
      "write src/main.ts changed",
      "write new.txt allowed",
      "write README.md changed",
      "run rm docs/a.md; ln -s /etc docs/b.md; mkdir -p other/deep; echo x > other/deep/x; echo k > src/secret/key.txt",
      "run rm -r src/secret && ln -s /tmp src/secret",
      "run git add --all && git commit -qm everything",
    ];
    expect(await turn(daemon, session.id, script.join("\n"))).toMatchObject({ outcome: "completed" });
    expect([await at("src/main.ts"), await at("new.txt")]).toEqual(["changed", "allowed"]);
    expect([await at("README.md"), await at("docs/a.md")]).toEqual(before);
    expect([
      await at("src/secret/key.txt"),
      await at("other/deep/x"),
      existsSync(join(session.cwd, "docs/b.md")),
    ]).toEqual(["key\n", null, false]);
    const [reverted] = await eventsOf(daemon, session.id, "types=scope.reverted");
    const files = reverted?.data["files"] as { path: string; rule: string }[];
    expect(Object.fromEntries(files.map(({ path, rule }) => [path, rule]))).toEqual({
      "README.md": "no_rule",
      "docs/a.md": "no_rule",
      "docs/b.md": "no_rule",
      "other/deep/x": "no_rule",
      "src/secret": "deny:src/secret",
      "src/secret/key.txt": "deny:src/secret",
    });
    const offer = await pendingOf(daemon, session.id);
    expect(offer).toMatchObject({ action: { verb: "scope.widen" } });
    expect(await idle(daemon, session.id)).toMatchObject({ busy: false });
    expectOk(await daemon.call("POST", `/api/approvals/${offer.id}/approve`, {}));
    await turn(daemon, session.id, "write README.md widened\nwrite other.md no");
    expect([await at("README.md"), await at("other.md")]).toEqual(["widened", null]);
    await kill(session.id);
    expect(await approvalsOf(daemon, session.id)).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ status: "pending" })]),
    );
  },
);

proves("WT-14", "a turn that leaves a path which cannot be read fails by name", async () => {
  using bench = setUpBench();
  const session = await start(daemon, { adapter: "demo", cwd: bench.repo, scope: { allow: ["src"] } });
  const deep = `docs${"/d".repeat(215)}`;
  const ended = await turn(daemon, session.id, `run mkdir -p ${deep}\nwrite README.md changed`);
  expect(ended).toMatchObject({ outcome: "failed" });
  const [told] = await eventsOf(daemon, session.id, "types=turn.ended");
  expect(told?.data["error"]).toMatchObject({
    code: "scope_unjudged",
    message: expect.stringContaining('"putBack":["README.md"]'),
  });
  expect(await readFile(join(session.cwd, "README.md"), "utf8")).toBe("hello\n");
  expect(await turn(daemon, session.id, "run rm -r docs")).toMatchObject({ outcome: "completed" });
});

proves("WT-14", "files that git ignores are judged like all others", async () => {
  using bench = setUpBench();
  bench.write(join(bench.repo, ".gitignore"), "*.log\nbuild/\n");
  bench.git(bench.repo, "add", "--all");
  bench.git(bench.repo, "commit", "--quiet", "-m", "ignores");
  const session = await start(daemon, { adapter: "demo", cwd: bench.repo, scope: { allow: ["src/**/*.ts"] } });
  const script = [
    "run mkdir -p build/empty src/new && echo x > build/out && echo x > a.log && echo x > src/b.log && echo ok > src/new/c.ts",
    "run echo '*' > .git/info/exclude && echo hidden > hidden && ln README.md src/hard.ts && echo y >> src/hard.ts",
  ];
  const before = await readFile(join(session.cwd, "README.md"), "utf8");
  await turn(daemon, session.id, script.join("\n"));
  const left = execFileSync("find", [".", "-path", "./.git", "-prune", "-o", "-newer", "README.md", "-print"], {
    cwd: session.cwd,
    encoding: "utf8",
  });
  expect(left.split("\n").filter((path) => /build|log|hidden/.test(path))).toEqual([]);
  expect(await readFile(join(session.cwd, "README.md"), "utf8")).toBe(before);
  expect(await readFile(join(session.cwd, "src/new/c.ts"), "utf8")).toBe("ok\n");
  expect(await readFile(join(session.cwd, "src/hard.ts"), "utf8")).toBe(`${before}y\n`);
  const [reverted] = await eventsOf(daemon, session.id, "types=scope.reverted");
  const files = reverted?.data["files"] as { path: string }[];
  expect(files.map(({ path }) => path)).toEqual([
    "README.md",
    "a.log",
    "build/empty",
    "build/out",
    "hidden",
    "src/b.log",
  ]);
});

proves("WT-14", "a turn cut by a crash is judged at the next start; a person's changes since then stay", async () => {
  using bench = setUpBench();
  const own = await startDaemon();
  const session = await start(own, { adapter: "demo", cwd: bench.repo, scope: { allow: ["src"] } });
  await prompt(own, session.id, "write README.md cut\nsleep 60000");
  await eventually("the file", async () => (await readFile(join(session.cwd, "README.md"), "utf8")) === "cut");
  await own.kill9();
  const next = await startDaemon({ home: own.home });
  const text = () => readFile(join(session.cwd, "README.md"), "utf8");
  await eventually("the file is put back", async () => (await text()) === "hello\n");
  await eventually("told", async () => (await eventsOf(next, session.id, "types=scope.reverted")).length === 1);
  bench.write(join(session.cwd, "README.md"), "by hand\n");
  await turn(next, session.id, "say hello");
  expect(await text()).toBe("by hand\n");
});
