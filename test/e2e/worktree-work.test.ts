import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import { eventsOf, expectOk, expectRefusal, idle, PATIENCE, type Session, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const typesOf = async (id: string): Promise<readonly string[]> => (await eventsOf(daemon, id)).map(({ type }) => type);
const kill = async (id: string) => expectOk(await daemon.call("POST", `/sessions/${id}/kill`, {}));

proves("WT-15", "a killed session's worktree is kept when it holds files that git overlooks", async () => {
  using bench = setUpBench();
  const hidden = {
    "work/result.md": "run mkdir work && echo precious > work/result.md && echo '*' > work/.gitignore",
    "hidden.md": "run echo '*' > .git/info/exclude && echo precious > hidden.md",
    "ignored/.env": "run mkdir ignored && echo precious > ignored/.env",
  };
  for (const [path, script] of Object.entries(hidden)) {
    const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
    await turn(daemon, session.id, script);
    await kill(session.id);
    expect((await typesOf(session.id)).at(-1)).toBe("worktree.kept@1");
    expectOk(await daemon.call("POST", "/api/worktrees/gc", {}));
    expect(await readFile(join(session.cwd, path), "utf8")).toBe("precious\n");
  }
});

proves(
  "WT-15",
  "files covered by the user's ignore rules are removed with the worktree, and a fork restores them",
  async () => {
    using bench = setUpBench();
    const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
    await turn(daemon, session.id, "run mkdir ignored && echo built > ignored/out.txt");
    await idle(daemon, session.id);
    await kill(session.id);
    expect((await typesOf(session.id)).at(-1)).toBe("worktree.removed@1");
    const fork = expectOk(await daemon.call<Session>("POST", `/sessions/${session.id}/fork`, {}), 201);
    expect(await readFile(join(fork.cwd, "ignored/out.txt"), "utf8")).toBe("built\n");
  },
);

proves("WT-15", "a fork that holds the only copy of a commit is kept when it is killed", async () => {
  using bench = setUpBench();
  const parent = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
  await turn(daemon, parent.id, "write a.txt a\nrun git add --all && git commit -qm a");
  await idle(daemon, parent.id);
  const to = (await eventsOf(daemon, parent.id, "types=turn.ended")).at(-1)?.id;
  await turn(daemon, parent.id, "write b.txt b\nrun git add --all && git commit -qm b");
  const fork = expectOk(await daemon.call<Session>("POST", `/sessions/${parent.id}/fork`, {}), 201);
  expectOk(await daemon.call("POST", `/sessions/${parent.id}/rewind`, { to }));
  expect(bench.git(parent.cwd, "log", "--all", "--topo-order", "--format=%s")).toBe("a\nfirst");
  await kill(fork.id);
  const kept = (await eventsOf(daemon, fork.id)).at(-1);
  expect(kept).toMatchObject({
    type: "worktree.kept@1",
    data: { work: { commits: expect.arrayContaining([expect.stringMatching(/ b$/)]) } },
  });
  expect(bench.git(fork.cwd, "log", "--format=%s")).toBe("b\na\nfirst");
});

proves("WT-15", "a folder that was moved away keeps its git dir, until somebody removes it by name", async () => {
  using bench = setUpBench();
  const session = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
  const path = session.cwd;
  const away = join(bench.directory, "away");
  await rename(path, away);
  await kill(session.id);
  expect((await eventsOf(daemon, session.id)).at(-1)).toMatchObject({
    type: "worktree.kept@1",
    data: { work: { unclear: expect.stringContaining("its folder is missing") } },
  });
  const gc = expectOk(await daemon.call("POST", "/api/worktrees/gc", {}));
  expect(gc).toMatchObject({ kept: expect.arrayContaining([session.id]) });
  expect(bench.git(away, "fsck", "--full")).toBe("");
  expectOk(await daemon.call("DELETE", `/api/worktrees/${session.id}`));
  expectRefusal(await daemon.call("GET", `/api/worktrees/${session.id}`), 404, "worktree_not_found");
});
