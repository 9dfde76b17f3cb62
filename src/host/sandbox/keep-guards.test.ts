import { existsSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { createVirtualClock } from "../../../test/sim/virtual-clock.ts";
import { proves } from "../../../test/support/proves.ts";
import { keepGuards } from "./keep-guards.ts";
import type { Planned, SandboxPlan } from "./planned.ts";
import { mountPointsOf } from "./verify-mounts.ts";

const provesHere = proves.where(process.platform === "linux");
const why = "test";

/** This process stands for the sandbox. It has none of these mounts, so a guard that is looked at counts as lost. */
function setUp(shownIn: (folder: string) => readonly Planned[], pid = process.pid) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nomos-guards-")));
  for (const name of ["kept", "linked"]) writeFileSync(join(folder, name), "");
  mkdirSync(join(folder, "dir"));
  const clock = createVirtualClock();
  const lost: string[] = [];
  const startMs = clock.nowMs();
  const plan: SandboxPlan = {
    ...{ system: [], shown: shownIn(folder), etc: "/etc", cwd: folder, temp: null, home: null, door: null },
  };
  const stop = keepGuards({ pid, plan, clock, onLost: (path) => lost.push(`${path} ${clock.nowMs() - startMs}`) });
  return { folder, clock, lost, stop, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

const bind = (path: string, access: "read" | "write"): Planned => ({ kind: "bind", path, from: path, access, why });
const cover = (path: string): Planned => ({ kind: "cover", path, of: "file", why });

provesHere(
  "WL-24",
  "a read-only or hidden path that is no longer mounted is reported once, within a quarter of a second",
  async () => {
    for (const guard of [(at: string) => bind(at, "read"), cover]) {
      using scene = setUp((folder) => [bind(folder, "write"), guard(join(folder, "kept"))]);
      expect(scene.lost).toEqual([]);
      expect(await scene.clock.step()).toBe(true);
      expect(scene.lost).toEqual([`${join(scene.folder, "kept")} 250`]);
      expect(await scene.clock.step()).toBe(false);
    }
  },
);

provesHere("WL-24", "only what lies in a writable directory is guarded", async () => {
  const plans: readonly ((folder: string) => readonly Planned[])[] = [
    () => [],
    (folder) => [bind(folder, "read"), bind(join(folder, "kept"), "read")],
    (folder) => [bind(folder, "write"), bind(join(folder, "kept"), "write")],
    (folder) => [bind(join(folder, "dir"), "write"), bind(join(folder, "kept"), "read")],
    (folder) => [bind(folder, "write"), { kind: "link", path: join(folder, "kept"), to: "x", why }],
    (folder) => [bind(join(folder, "kept"), "write"), bind(join(folder, "kept"), "read")],
  ];
  for (const shown of plans) {
    using scene = setUp(shown);
    expect(await scene.clock.step()).toBe(false);
    expect(scene.lost).toEqual([]);
  }
});

provesHere(
  "WL-24",
  "a path that is gone and a sandbox that has ended are no loss; a stop ends the questions",
  async () => {
    using gone = setUp((folder) => [bind(folder, "write"), bind(join(folder, "never"), "read")]);
    for (let n = 0; n < 3; n += 1) expect(await gone.clock.step()).toBe(true);
    expect(gone.lost).toEqual([]);
    writeFileSync(join(gone.folder, "never"), "");
    await gone.clock.step();
    expect(gone.lost).toHaveLength(1);
    using ended = setUp((folder) => [bind(folder, "write"), bind(join(folder, "kept"), "read")], 2 ** 22 + 1);
    for (let n = 0; n < 3; n += 1) expect(await ended.clock.step()).toBe(true);
    expect(ended.lost).toEqual([]);
    ended.stop();
    expect(await ended.clock.step()).toBe(false);
  },
);

provesHere("WL-24", "a held file needs its guard only while it has another name; a held directory always", async () => {
  const held = (name: string) => (folder: string) => {
    const path = join(folder, name);
    const { dev, ino } = statSync(path);
    return [bind(folder, "write"), { ...bind(path, "read"), is: { dev, ino } }] as const;
  };
  using single = setUp(held("linked"));
  await single.clock.step();
  expect(single.lost).toEqual([]);
  linkSync(join(single.folder, "linked"), join(single.folder, "second"));
  await single.clock.step();
  expect(single.lost).toHaveLength(1);
  using directory = setUp(held("dir"));
  await directory.clock.step();
  expect(directory.lost).toHaveLength(1);
});

provesHere("WL-24", "a guard that is still mounted read-only is no loss, however often it is asked about", async () => {
  const points = [...mountPointsOf(process.pid)];
  const [path] = points.find(([point, options]) => options.includes("ro") && existsSync(point)) ?? [null];
  if (path === null) return;
  using scene = setUp(() => [bind("/", "write"), cover(path)]);
  for (let n = 0; n < 3; n += 1) expect(await scene.clock.step()).toBe(true);
  expect(scene.lost).toEqual([]);
  scene.stop();
});
