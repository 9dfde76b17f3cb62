import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { configure, land, settled, worked } from "../support/landing-bench.ts";
import { proves } from "../support/proves.ts";
import { setUpBench } from "../support/worktree-bench.ts";
import { expectRefusal, PATIENCE, prompt, start } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

proves("LAND-30", "a session's work lands on the branch, committed or not, with trailers that name it", async () => {
  using bench = setUpBench();
  const { id, name } = await worked(
    daemon,
    bench.repo,
    "write README.md changed\nrun git commit -qam done\nwrite new/file.txt new\nsay I changed the readme.",
  );
  const queued = await land(daemon, id);
  expect(queued).toMatchObject({ sessionId: id, into: "main", findings: [] });
  const landed = await settled(daemon, queued.id);
  expect(landed).toMatchObject({ state: "landed" });
  expect(bench.git(bench.repo, "rev-parse", "main")).toBe(landed.commit);
  expect(bench.git(bench.repo, "status", "--porcelain")).toBe("");
  expect(readFileSync(join(bench.repo, "new/file.txt"), "utf8")).toBe("new");
  const message = bench.git(bench.repo, "log", "-1", "--format=%B");
  expect(message).toContain(`Nomos-Session: ${id}`);
  expect(message).toMatch(/Nomos-Turn: .*\nNomos-Event: /);
  bench.git(bench.repo, "fsck", "--strict");
  expect(name).not.toBe("");
});

proves("LAND-30", "a busy session, one with nothing to land, and a branch that is not there are refused", async () => {
  using bench = setUpBench();
  const idle = await start(daemon, { adapter: "demo", cwd: bench.repo, worktree: true });
  const landing = (id: string, wish: object = {}) => daemon.call("POST", `/sessions/${id}/land`, wish);
  expectRefusal(await landing(idle.id), 409, "nothing_to_land");
  expectRefusal(await landing(idle.id, { into: "gone" }), 404, "branch_not_found");
  expectRefusal(await landing(idle.id, { into: "main~0" }), 404, "branch_not_found");
  await prompt(daemon, idle.id, "ask really?");
  expectRefusal(await landing(idle.id), 409, "session_busy");
  const plain = await start(daemon, { adapter: "demo", cwd: bench.repo });
  expectRefusal(await landing(plain.id), 404, "worktree_not_found");
  bench.git(bench.repo, "checkout", "-q", "--detach");
  const other = await worked(daemon, bench.repo, "write a.txt a");
  expectRefusal(await landing(other.id), 404, "branch_not_found");
});
proves("LAND-31", "a red check keeps the branch as it was, and the refusal holds its output", async () => {
  using bench = setUpBench();
  await configure(daemon, { checks: [["sh", "-c", "echo broken; exit 1"]] });
  const { id } = await worked(daemon, bench.repo, "write a.txt a");
  const before = bench.portrait();
  const refused = await settled(daemon, (await land(daemon, id)).id);
  expect(refused).toMatchObject({ state: "refused", findings: [{ rule: "check" }] });
  expect(refused.findings[0]?.message).toContain("broken");
  expect(bench.portrait()).toBe(before);
  await configure(daemon, {});
});
