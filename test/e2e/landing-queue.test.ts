import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { startDaemon, type TestDaemon } from "../support/daemon.ts";
import { configure, land, landing, type ShownLanding, settled, worked } from "../support/landing-bench.ts";
import { proves } from "../support/proves.ts";
import { type Bench, setUpBench } from "../support/worktree-bench.ts";
import { plantDriver } from "./support/driver-file.ts";
import { type Event, eventually, expectOk, expectRefusal, PATIENCE, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const sh = (script: string) => ["sh", "-c", script];

const post = (id: string, what: string, body: object = {}) =>
  daemon.call<ShownLanding>("POST", `/api/landings/${id}/${what}`, body);
const checking = (id: string) =>
  eventually("its check runs", async () => (await landing(daemon, id)).checking !== undefined);
/** What was written first into each file that the branch got, oldest first. */
const order = (bench: Bench) =>
  bench.git(bench.repo, "log", "--reverse", "--first-parent", "--format=", "--name-only", "-m", "main").split("\n");
const landingEvents = async (id: string): Promise<readonly Event[]> =>
  expectOk(await daemon.call<{ entries: Event[] }>("GET", "/api/audit/entries?limit=1000")).entries.filter(
    ({ stream }) => stream === `landing/${id}`,
  );

async function several(bench: Bench, names: readonly string[]): Promise<readonly string[]> {
  const sessions = await Promise.all(names.map((name) => worked(daemon, bench.repo, `write ${name}.txt ${name}`)));
  return sessions.map(({ id }) => id);
}

proves("LAND-32", "landings of a branch go oldest first; held, moved and ejected ones as a person says", async () => {
  using bench = setUpBench();
  const [a = "", ...rest] = await several(bench, ["a", "b", "c", "d", "e"]);
  const first = await land(daemon, a, { checks: [sh("sleep 600")] });
  await checking(first.id);
  const queued: string[] = [];
  for (const id of rest) queued.push((await land(daemon, id)).id);
  const [second = "", third = "", fourth = "", fifth = ""] = queued;
  expectOk(await post(second, "hold", { reason: "wait" }));
  expectOk(await post(fourth, "move", { before: third }));
  expectOk(await post(fifth, "eject", { reason: "no" }));
  expectRefusal(await post(first.id, "move", { before: third }), 409, "landing_settled");
  expectRefusal(await post(third, "move", { before: first.id }), 409, "landing_unmovable");
  expectRefusal(await daemon.call("POST", `/sessions/${rest[1]}/land`, {}), 409, "landing_exists");
  // Its checks stop, and the next one goes on.
  expectOk(await post(first.id, "eject", { reason: "too slow" }));
  for (const id of [third, fourth]) expect(await settled(daemon, id)).toMatchObject({ state: "landed" });
  expect(await landing(daemon, second)).toMatchObject({ state: "queued", held: "wait" });
  expectOk(await post(second, "release"));
  expect(await settled(daemon, second)).toMatchObject({ state: "landed" });
  expect(order(bench).filter((name) => /^[a-e]\.txt$/.test(name))).toEqual(["d.txt", "c.txt", "b.txt"]);
  expect(bench.git(bench.repo, "status", "--porcelain")).toBe("");
});

proves("LAND-33", "a branch that moves during checks: the landing is checked again on the new commit", async () => {
  using bench = setUpBench();
  const [a = ""] = await several(bench, ["a"]);
  const queued = await land(daemon, a, { checks: [sh("sleep 3")] });
  await checking(queued.id);
  writeFileSync(join(bench.repo, "mine.txt"), "mine");
  bench.git(bench.repo, "add", "mine.txt");
  bench.git(bench.repo, "commit", "-qm", "mine");
  const landed = await settled(daemon, queued.id);
  expect(landed).toMatchObject({ state: "landed" });
  expect((await landingEvents(queued.id)).map(({ type }) => type)).toContain("landing.returned@1");
  expect(order(bench).filter((name) => /^(a|mine)\.txt$/.test(name))).toEqual(["mine.txt", "a.txt"]);
});

proves("LAND-34", "a red batch is halved: the innocent land, the guilty one is refused with the output", async () => {
  using bench = setUpBench();
  await configure(daemon, {
    checks: [sh("sleep 1; ! test -e bad.txt || { echo bad is here; exit 1; }")],
    batchAfterMs: 500,
  });
  const [primer = "", ...rest] = await several(bench, ["primer", "b", "c", "bad", "d"]);
  // Long enough for all others to be queued behind it.
  const first = await land(daemon, primer, { checks: [["sleep", "6"]] });
  await checking(first.id);
  const queued = [];
  for (const id of rest) queued.push(await land(daemon, id));
  const ends = [];
  for (const { id } of queued) ends.push(await settled(daemon, id));
  await configure(daemon, {});
  expect(ends.map(({ state }) => state)).toEqual(["landed", "landed", "refused", "landed"]);
  expect(ends[2]?.findings[0]?.message).toContain("bad is here");
  expect(order(bench).filter((name) => /^(primer|b|c|d)\.txt$/.test(name))).toEqual([
    "primer.txt",
    "b.txt",
    "c.txt",
    "d.txt",
  ]);
  // The two innocent ones of a half came with one move of the branch.
  expect(
    bench
      .git(bench.repo, "reflog", "main", "--format=%gs")
      .split("\n")
      .filter((why) => why.startsWith("nomos")),
  ).toHaveLength(3);
  const trailers = bench.git(bench.repo, "log", "--format=%(trailers:key=Nomos-Session,valueonly,separator=)", "main");
  for (const id of [primer, rest[0], rest[1], rest[3]]) expect(trailers).toContain(id);
  expect(trailers).not.toContain(rest[2]);
});

/** Mends `a.txt` when it is told that a check failed, once it was told twice. */
const MENDER = `
import { existsSync, writeFileSync } from "node:fs";
export default async ({ input }) => {
  if (!input.includes("was not landed")) return writeFileSync("a.txt", "broken");
  writeFileSync("told.txt", input);
  writeFileSync("a.txt", existsSync("once.txt") ? "whole" : "still broken");
  writeFileSync("once.txt", "once");
};
`;

proves(
  "LAND-35",
  "an agent is told why its landing was refused, mends it, and it is tried again by itself",
  async () => {
    using bench = setUpBench();
    await configure(daemon, { checks: [sh("grep -q whole a.txt || { echo a is broken; exit 1; }")], attemptsMax: 3 });
    const { id } = await start(daemon, {
      adapter: "script",
      file: await plantDriver(MENDER),
      cwd: bench.repo,
      worktree: true,
    });
    await turn(daemon, id, "break it");
    const first = await land(daemon, id);
    const follow = async (one: string): Promise<ShownLanding> =>
      landing(daemon, await eventually("the next try", async () => (await landing(daemon, one)).retriedAs));
    const second = await follow(first.id);
    const third = await follow(second.id);
    expect([second.attempt, third.attempt]).toEqual([2, 3]);
    expect(await settled(daemon, third.id)).toMatchObject({ state: "landed" });
    await configure(daemon, {});
    expect(bench.git(bench.repo, "show", "main:a.txt")).toBe("whole");
    const told = bench.git(bench.repo, "show", "main:told.txt");
    expect(told).toContain("    a is broken");
    expect(told).toContain("(try 2 of 3)");
  },
);

/** Merges the commit that it is told of, and keeps its own side. */
const MERGER = `
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
export default async ({ input }) => {
  const onto = /is at commit ([0-9a-f]+)/.exec(input)?.[1];
  if (onto === undefined) return writeFileSync("README.md", "ours");
  execFileSync("git", ["commit", "-qam", "ours"]);
  execFileSync("git", ["merge", "-q", "-X", "ours", "-m", "merged", onto]);
};
`;

proves(
  "LAND-35",
  "an agent whose work conflicts reads the branch's commit in its worktree, and merges it",
  async () => {
    using bench = setUpBench();
    const file = await plantDriver(MERGER);
    const { id } = await start(daemon, { adapter: "script", file, cwd: bench.repo, worktree: true });
    await turn(daemon, id, "change it");
    bench.write(join(bench.repo, "README.md"), "theirs");
    bench.git(bench.repo, "commit", "-qam", "theirs");
    const first = await land(daemon, id);
    const next = await eventually("the next try", async () => (await landing(daemon, first.id)).retriedAs);
    expect(await landing(daemon, first.id)).toMatchObject({ findings: [{ rule: "conflict", path: "README.md" }] });
    expect(await settled(daemon, next)).toMatchObject({ state: "landed", attempt: 2 });
    expect(bench.git(bench.repo, "show", "main:README.md")).toBe("ours");
    expect(bench.git(bench.repo, "log", "--format=%s", "main").split("\n")).toContain("theirs");
  },
);

proves("LAND-36", "a dry run tells what would come, and changes nothing", async () => {
  using bench = setUpBench();
  await configure(daemon, { checks: [sh("exit 1")] });
  const [a = ""] = await several(bench, ["a"]);
  const before = bench.portrait();
  const dry = expectOk(await daemon.call<ShownLanding>("POST", `/sessions/${a}/land`, { dryRun: true }));
  await configure(daemon, {});
  expect(dry).toMatchObject({ state: "refused", findings: [{ rule: "check" }] });
  expect(bench.portrait()).toBe(before);
  expect(expectOk(await daemon.call("POST", `/sessions/${a}/land`, { dryRun: true }))).toMatchObject({
    state: "landed",
  });
  expect(bench.portrait()).toBe(before);
});

proves("LAND-37", "for a pull request the work is pushed as a branch of its own, and the branch stays", async () => {
  using bench = setUpBench();
  const remote = join(bench.directory, "remote.git");
  mkdirSync(remote);
  execFileSync("git", ["init", "--bare", "-q", remote]);
  bench.git(bench.repo, "remote", "add", "origin", remote);
  const [a = ""] = await several(bench, ["a"]);
  const before = bench.git(bench.repo, "rev-parse", "main");
  const done = await settled(daemon, (await land(daemon, a, { pr: true })).id);
  expect(done).toMatchObject({ state: "landed" });
  expect(bench.git(bench.repo, "rev-parse", "main")).toBe(before);
  expect(bench.git(remote, "log", "--all", "--format=%H")).toContain(done.commit);
});

proves("LAND-38", "a repository that is gone refuses its landings; those of others go on", async () => {
  using bench = setUpBench();
  using other = setUpBench();
  const [a = "", b = ""] = await several(bench, ["a", "b"]);
  const [c = ""] = await several(other, ["c"]);
  const first = await land(daemon, a, { checks: [sh("sleep 4")] });
  const second = await land(daemon, b);
  await checking(first.id);
  execFileSync("rm", ["-rf", bench.repo]);
  const third = await land(daemon, c);
  for (const { id } of [first, second]) expect(await settled(daemon, id)).toMatchObject({ state: "refused" });
  expect(await settled(daemon, third.id)).toMatchObject({ state: "landed" });
});
