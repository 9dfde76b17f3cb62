import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { newHome, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { chanceOf, readWorld } from "../../support/world.ts";

const ROUNDS = sampled(20, 3);
const FILES = 1500;
const REWIND_MAX_MS = 700;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly [name: string]: unknown };
}

proves.skipIf(!needs("bwrap"))(
  "SN-17",
  "a daemon killed during a rewind: after the restart both files and events are old, or both are new, and the log says which",
  async () => {
    const home = await newHome();
    const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-rewind-kill-")));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const cwd = join(folder, "tree");
    mkdirSync(cwd);
    for (let n = 0; n < FILES; n += 1) writeFileSync(join(cwd, `f${n}`), `one ${n}`);
    let daemon = await startDaemon({ home, env: {} });
    const { body } = await daemon.call<{ id: string }>("POST", "/sessions/agent", { adapter: "demo", cwd });
    const { id } = body;
    const one = readWorld(cwd);
    await turn(daemon, id, "run for f in f*; do echo two > $f; done; mkdir d; rm f1*");
    const two = readWorld(cwd);
    const chance = chanceOf(5);
    let cut = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const events = await eventsOf(daemon, id);
      const isTwo = JSON.stringify(readWorld(cwd)) === JSON.stringify(two);
      const to = (isTwo ? events.find(({ type }) => type === "turn.started@1") : events.find(isEnd))?.id;
      const before = events.length;
      const untouched = names(cwd);
      const asked = daemon.call("POST", `/sessions/${id}/rewind`, { to }).catch(() => null);
      // At a random moment; in every other round during the restore for certain: when the first name has changed.
      if (round % 2 === 0) await changed(cwd, untouched);
      else await sleep(chance() * REWIND_MAX_MS);
      await daemon.kill9();
      await asked;
      daemon = await startDaemon({ home, env: {} });
      const since = (await eventsOf(daemon, id)).slice(before);
      const world = readWorld(cwd);
      const isRewound = since.some(({ type }) => type === "session.rewound@1");
      expect(world).toEqual(isRewound === isTwo ? one : two);
      const begun = since.filter(({ type }) => type === "restore.begun@1").length;
      const settled = since.filter(({ type }) => type === "restore.settled@1");
      expect(settled).toHaveLength(begun);
      if (begun > 0) expect(settled[0]?.data["outcome"]).toBe(isRewound ? "restored" : "rolled_back");
      cut += begun > 0 && !isRewound ? 1 : 0;
    }
    await turn(daemon, id, "say it goes on");
    expect(cut).toBeGreaterThan(0);
    const here = readWorld(cwd);
    const [, last] = (await eventsOf(daemon, id)).filter(isEnd).slice(-2);
    await daemon.call("POST", `/sessions/${id}/prompt`, { prompt: "run echo half > half; sleep 60" });
    while (!existsSync(join(cwd, "half"))) await sleep(20);
    await daemon.kill9();
    daemon = await startDaemon({ home, env: {} });
    while (!(await eventsOf(daemon, id)).some(({ data }) => data["changed"] === 1)) await sleep(50);
    expect((await daemon.call("POST", `/sessions/${id}/rewind`, { to: last?.id })).status).toBe(200);
    expect(readWorld(cwd)).toEqual(here);
  },
);

const names = (cwd: string): string => readdirSync(cwd).join();

async function changed(cwd: string, from: string): Promise<void> {
  const untilMs = Date.now() + CHANGE_MAX_MS;
  while (names(cwd) === from && Date.now() < untilMs) await sleep(1);
}
const CHANGE_MAX_MS = 10_000;

const isEnd = ({ type }: Event): boolean => type === "turn.ended@1";

async function turn(daemon: TestDaemon, id: string, prompt: string): Promise<void> {
  const { body } = await daemon.call<{ turnId: string }>("POST", `/sessions/${id}/prompt`, { prompt });
  expect((await daemon.call("GET", `/sessions/${id}/wait?turnId=${body.turnId}&timeoutMs=60000`)).status).toBe(200);
}

async function eventsOf(daemon: TestDaemon, id: string): Promise<readonly Event[]> {
  return (await daemon.call<{ events: Event[] }>("GET", `/sessions/${id}/events?limit=1000`)).body.events;
}
