import { once } from "node:events";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type Event, eventsOf, expectOk, expectSound, newFolder, start, turn } from "../../e2e/support/talk.ts";
import { newHome, runCli, startCli, startDaemon, type TestDaemon } from "../../support/daemon.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { seededRandom } from "../../support/storm-random.ts";

const ROUNDS = sampled(12, 3);
const TEST_MAX_MS = 240_000;

proves(
  "KEEP-7",
  "a daemon killed during a backup leaves a complete backup or none, and the next daemon removes the remains",
  async () => {
    const random = seededRandom(7);
    let daemon = await startDaemon();
    const { home } = daemon;
    await fill(daemon, 4);
    const folder = await newFolder();
    const spare = expectOk(await daemon.call<{ size: number }>("POST", "/api/backup", { to: join(folder, "first") }));
    for (let round = 0; round < ROUNDS; round += 1) {
      const to = join(folder, `b${round}`);
      const own = daemon.call("POST", "/api/backup", round % 2 === 0 ? { to } : {}).catch(() => null);
      await sleep(random.below(120));
      await daemon.kill9();
      await own;
      const names = await readdir(folder);
      expect(names.filter((name) => !/^(first|b\d)(\.[0-9a-f]{12}\.tmp)?$/.test(name))).toEqual([]);
      for (const name of names.filter((found) => found === `b${round}`)) await expectRestores(join(folder, name));
      for (const name of names.filter((found) => found.endsWith(".tmp"))) {
        const { exitCode } = await runCli(["restore", join(folder, name), "--json"], { home: await newHome() });
        expect(exitCode).toBe(1);
        await rm(join(folder, name), { recursive: true });
      }
      daemon = await startDaemon({ home });
      await expectSound(daemon);
    }
    const { path, size } = expectOk(await daemon.call<{ path: string; size: number }>("POST", "/api/backup", {}));
    expect(size).toBeGreaterThan(spare.size);
    expect((await readdir(join(home, "backups"))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    await daemon.stop();
    await expectRestores(path);
  },
  TEST_MAX_MS,
);

proves(
  "KEEP-7",
  "a daemon killed during a collection loses nothing: data is in an archive or still in the log",
  async () => {
    const random = seededRandom(11);
    let daemon = await startDaemon();
    const { home } = daemon;
    const ids = await fill(daemon, 6);
    const said = new Map<string, readonly Event[]>();
    for (const id of ids) said.set(id, await eventsOf(daemon, id));
    for (const id of ids) expectOk(await daemon.call("POST", `/sessions/${id}/kill`, {}));
    for (let round = 0; round < ROUNDS; round += 1) {
      const collecting = daemon.call("POST", "/api/gc", { maxAgeDays: 0 }).catch(() => null);
      await sleep(random.below(150));
      await daemon.kill9();
      await collecting;
      daemon = await startDaemon({ home });
      await expectSound(daemon);
      await expectNothingLost(daemon, said);
    }
    expectOk(await daemon.call("POST", "/api/gc", { maxAgeDays: 0 }));
    for (const id of ids) {
      expect(expectOk(await daemon.call("GET", `/sessions/${id}/archive/verify`))).toMatchObject({ ok: true });
      expect((await eventsOf(daemon, id)).some(({ data }) => JSON.stringify(data).includes("words of"))).toBe(false);
    }
    await expectNothingLost(daemon, said);
    expect(expectOk(await daemon.call("GET", "/api/audit/verify"))).toMatchObject({ ok: true });
    expect((await readdir(join(home, "archive"))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  },
  TEST_MAX_MS,
);

proves(
  "KEEP-7",
  "a restore killed at any moment leaves no home or a complete one; the next restore completes it",
  async () => {
    const random = seededRandom(13);
    const daemon = await startDaemon();
    const ids = await fill(daemon, 4);
    const to = join(await newFolder(), "backup");
    expectOk(await daemon.call("POST", "/api/backup", { to }));
    await daemon.stop();
    for (let round = 0; round < ROUNDS; round += 1) {
      const home = await newHome();
      await mkdir(home, { recursive: true });
      for (let tries = 0; tries < 2; tries += 1) {
        const restoring = startCli(["restore", to], { home });
        const ended = once(restoring, "exit");
        await sleep(150 + random.below(700));
        restoring.kill("SIGKILL");
        await ended;
        const names = await readdir(home);
        const isUnfinished = names.includes("restoring.tmp");
        if (isUnfinished && !names.includes("log.db")) {
          const refused = await runCli(["up", "--json"], { home });
          expect([refused.exitCode, JSON.parse(refused.stdout).error.code]).toEqual([5, "restore_unfinished"]);
        }
      }
      const last = await runCli(["restore", to, "--json"], { home });
      expect([0, 5]).toContain(last.exitCode);
      if (last.exitCode === 5) expect(JSON.parse(last.stdout).error.code).toBe("home_not_empty");
      const again = await startDaemon({ home });
      await expectSound(again);
      for (const id of ids) expect((await eventsOf(again, id)).length).toBeGreaterThan(5);
      expect(await turn(again, ids[0] ?? "", "say on")).toMatchObject({ outcome: "completed" });
      await again.stop();
    }
  },
  TEST_MAX_MS,
);

async function fill(daemon: TestDaemon, sessions: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < sessions; n += 1) {
    const { id } = await start(daemon);
    await turn(daemon, id, `say words of ${n}\nrun head -c 300000 /dev/urandom | base64\nsay ${"long ".repeat(5000)}`);
    ids.push(id);
  }
  return ids;
}

async function expectRestores(path: string): Promise<void> {
  const { exitCode, stdout } = await runCli(["restore", path, "--json"], { home: await newHome() });
  expect([path, exitCode, stdout.slice(0, 200)]).toEqual([path, 0, stdout.slice(0, 200)]);
}

/** Each event's original data: from the log, or from an archive that the log proves. */
async function expectNothingLost(daemon: TestDaemon, said: ReadonlyMap<string, readonly Event[]>): Promise<void> {
  for (const [id, events] of said) {
    const now = new Map((await eventsOf(daemon, id)).map((event) => [event.id, event]));
    const archive = await daemon.call<{ events?: readonly Event[] }>("GET", `/sessions/${id}/archive?limit=1000`);
    const archived = new Map((archive.body.events ?? []).map((event) => [event.id, event]));
    const isMarked = archive.status === 200;
    for (const event of events) {
      const found = now.get(event.id);
      if (found?.data === null && isMarked) expect(archived.get(event.id)?.data).toEqual(event.data);
      else if (found?.data !== null) expect(found).toEqual(event);
    }
  }
}
