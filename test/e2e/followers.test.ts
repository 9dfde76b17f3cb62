import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { newHome, runCli, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { proves } from "../support/proves.ts";
import { eventually, expectOk, expectSound, newFolder, PATIENCE, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

interface FollowerShown {
  readonly name: string;
  readonly state: string;
  readonly failure: { readonly code: string; readonly remedy: string; readonly tries: number } | null;
}

proves.concurrent("FOL-4", "search and tree deleted while no daemon runs are rebuilt from the log", async () => {
  const home = await newHome();
  const first = await startDaemon({ home });
  const { id } = await start(first);
  await turn(first, id, "say aardvark");
  await allFollowing(first);
  await first.stop();
  for (const name of await readdir(home))
    if (name.startsWith("search.db") || name === "tree") await rm(join(home, name), { recursive: true });
  const again = await startDaemon({ home });
  expect(await found(again, "aardvark")).toContain(id);
  await allFollowing(again);
  expect((await readdir(home)).includes("tree")).toBe(true);
  expect(expectOk(await again.call("GET", "/api/audit/verify"))).toMatchObject({ ok: true });
  await expectSound(again);
});

proves.concurrent("FOL-4", "in a home restored from an older backup, search and tree match its log", async () => {
  const daemon = await startDaemon();
  const { id } = await start(daemon);
  await turn(daemon, id, "say aardvark");
  await allFollowing(daemon);
  const to = join(await newFolder(), "backup");
  expectOk(await daemon.call("POST", "/api/backup", { to }));
  await turn(daemon, id, "say bullfinch");
  await allFollowing(daemon);
  const home = await newHome();
  expect((await runCli(["restore", to], { home })).exitCode).toBe(0);
  const restored = await startDaemon({ home });
  await turn(restored, id, "say chameleon");
  await allFollowing(restored);
  expect(await found(restored, "aardvark")).toContain(id);
  expect(await found(restored, "chameleon")).toContain(id);
  expect(await found(restored, "bullfinch")).toEqual([]);
  await expectSound(restored);
});

proves.concurrent(
  "FOL-3",
  "a tree that cannot be written is reported everywhere, blocks nothing, and goes on by itself",
  async () => {
    const daemon = await startDaemon();
    const { id } = await start(daemon);
    await turn(daemon, id, "say aardvark");
    await allFollowing(daemon);
    const tree = join(daemon.home, "tree");
    await rename(tree, `${tree}.away`);
    await writeFile(tree, "in the way");
    await turn(daemon, id, "say bullfinch");
    const failing = await eventually("the tree fails", async () => {
      const shown = await follower(daemon, "tree");
      return shown.state === "failing" && shown;
    });
    expect(failing.failure).toMatchObject({ code: "follower_failed", remedy: expect.stringMatching(/./) });
    await turn(daemon, id, "say chameleon");
    expect(await found(daemon, "chameleon")).toContain(id);
    await eventually("search follows", async () => (await lagOf(daemon, "search")) === 0);
    const metrics = (await daemon.call("GET", "/api/metrics")).text;
    expect(metrics).toContain('nomos_follower_failing{follower="tree"} 1');
    expect(metrics).toContain('nomos_follower_failing{follower="search"} 0');
    expect(metrics).toMatch(/nomos_follower_lag_events\{follower="tree"\} [1-9]/);
    expect((await daemon.cli("status")).stdout).toMatch(/^tree: +failing since .+ could not be written/m);
    const doctor = await daemon.cli("doctor");
    expect({
      exitCode: doctor.exitCode,
      told: /!! {2}follow +tree is failing since .+\n +remedy: ./.test(doctor.stdout),
    }).toEqual({ exitCode: 1, told: true });
    await rm(tree);
    await rename(`${tree}.away`, tree);
    await allFollowing(daemon);
    await expectSound(daemon);
  },
);

async function follower(daemon: TestDaemon, name: string): Promise<FollowerShown> {
  const { followers } = expectOk(await daemon.call<{ followers: readonly FollowerShown[] }>("GET", "/api/status"));
  return followers.find((shown) => shown.name === name) ?? expect.fail(`${name} is not shown`);
}

async function lagOf(daemon: TestDaemon, name: string): Promise<number> {
  const { text } = await daemon.call("GET", "/api/metrics");
  return Number(new RegExp(`nomos_follower_lag_events\\{follower="${name}"\\} (\\d+)`).exec(text)?.[1] ?? Number.NaN);
}

async function allFollowing(daemon: TestDaemon): Promise<void> {
  for (const name of ["search", "tree"])
    await eventually(`${name} follows`, async () => {
      const { state } = await follower(daemon, name);
      return state === "following" && (await lagOf(daemon, name)) === 0;
    });
}

async function found(daemon: TestDaemon, word: string): Promise<readonly string[]> {
  const { hits } = expectOk(
    await daemon.call<{ hits: readonly { sessionId: string }[] }>("GET", `/api/sessions/search?q=${word}`),
  );
  return hits.map(({ sessionId }) => sessionId);
}
