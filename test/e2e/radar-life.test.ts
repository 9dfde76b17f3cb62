import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { land, settled } from "../support/landing-bench.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import { eventually, expectOk, PATIENCE, type Session, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ outlivesTest: true });
  expectOk(await daemon.call("PUT", "/api/config", { config: { radar: { lookEveryMs: 1000 } } }));
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Listed {
  readonly conflicts: readonly { readonly sessions: readonly string[]; readonly names: readonly string[] }[];
  readonly bases: readonly { readonly sessionId: string; readonly behind: number | null }[];
}

const listed = async (): Promise<Listed> => expectOk(await daemon.call<Listed>("GET", "/api/conflicts"));
const collide = async (...pair: readonly Session[]): Promise<boolean> =>
  (await listed()).conflicts.some(({ sessions }) => pair.every(({ id }) => sessions.includes(id)));
const working = (cwd: string, worktree: boolean): Promise<Session> => start(daemon, { adapter: "demo", cwd, worktree });

proves("RAD-1", "a conflict ends when the work of one session lands", async () => {
  using bench = setUpBench();
  const [a, b] = [await working(bench.repo, true), await working(bench.repo, true)];
  await turn(daemon, a.id, "write README.md mine");
  await turn(daemon, b.id, "write README.md yours");
  await eventually("the collision", () => collide(a, b));
  expect(await settled(daemon, (await land(daemon, a.id)).id)).toMatchObject({ state: "landed" });
  await eventually("the end", async () => !(await collide(a, b)));
  await eventually("the branch that moved", async () =>
    (await listed()).bases.some(({ sessionId }) => sessionId === b.id),
  );
});

proves(
  "RAD-1",
  "a second session in a worktree hides no conflict, and stands for it when the first one ends",
  async () => {
    using bench = setUpBench();
    const [a, b] = [await working(bench.repo, true), await working(bench.repo, true)];
    await turn(daemon, a.id, "write README.md mine");
    await turn(daemon, b.id, "write README.md yours");
    await eventually("the collision", () => collide(a, b));
    const guest = await working(a.cwd, false);
    await turn(daemon, guest.id, "say hello");
    // A third one, so that it is known when the sessions were looked at.
    const third = await working(bench.repo, true);
    await turn(daemon, third.id, "write README.md another");
    await eventually("the third", () => collide(a, third));
    expect(await collide(a, b)).toBe(true);
    expectOk(await daemon.call("POST", `/sessions/${a.id}/kill`));
    await eventually("the guest in its place", () => collide(guest, b));
    expect(await collide(a, b)).toBe(false);
    const said = await daemon.cli("conflict", "list");
    expect(said).toMatchObject({ exitCode: 0, stderr: "" });
    const pair = (await listed()).conflicts.find(
      ({ sessions }) => sessions.includes(b.id) && sessions.includes(guest.id),
    );
    expect(said.stdout).toMatch(new RegExp(`^${pair?.names.join(" \\+ ")} +README.md +content +1 and 1`, "m"));
  },
);

proves(
  "RAD-4",
  "the list says how far the branch is now, also after moves that change no file of the session",
  async () => {
    using bench = setUpBench();
    const session = await working(bench.repo, true);
    await turn(daemon, session.id, "write README.md mine");
    const behind = async () => (await listed()).bases.find(({ sessionId }) => sessionId === session.id)?.behind;
    for (const n of [1, 2, 3]) {
      bench.write(join(bench.repo, `other-${n}.txt`), "other\n");
      execFileSync("git", ["add", "--all"], { cwd: bench.repo });
      bench.git(bench.repo, "commit", "--quiet", "-m", `other ${n}`);
      await eventually(`${n} commits`, async () => (await behind()) === n);
    }
  },
);

proves("RAD-1", "work that landed among others' changes of the same file is on the branch too", async () => {
  using bench = setUpBench();
  const commit = (lines: readonly string[]): void => {
    bench.write(join(bench.repo, "lines.txt"), `${lines.join("\n")}\n`);
    bench.git(bench.repo, "add", "--all");
    bench.git(bench.repo, "commit", "--quiet", "-m", "lines");
  };
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n}`);
  commit(lines);
  const [a, b] = [await working(bench.repo, true), await working(bench.repo, true)];
  commit(lines.with(30, "by a person"));
  for (const one of [a, b]) await turn(daemon, one.id, `run sed -i '10s/.*/by ${one.id}/' lines.txt`);
  await eventually("the collision", () => collide(a, b));
  expect(await settled(daemon, (await land(daemon, a.id)).id)).toMatchObject({ state: "landed" });
  await eventually("the end", async () => !(await collide(a, b)));
  await eventually("the branch under the other one alone", async () => {
    const now = (await listed()).bases.map(({ sessionId }) => sessionId);
    return now.includes(b.id) && !now.includes(a.id);
  });
});
