import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { newHome, startDaemon, type TestDaemon } from "../support/daemon.ts";
import { needs } from "../support/needs.ts";
import { proves } from "../support/proves.ts";
import { eventually, expectOk, newFolder, PATIENCE, type Session, start, turn } from "./support/talk.ts";

vi.setConfig(PATIENCE);

const provesForks = proves.concurrent.skipIf(!needs("bwrap"));

interface Doctor {
  readonly home: { readonly ok: boolean; readonly left: readonly { readonly path: string; readonly reason: string }[] };
}

async function parentWithFiles(daemon: TestDaemon): Promise<Session> {
  const session = await start(daemon, { cwd: await newFolder() });
  await turn(daemon, session.id, "write a first\nwrite deep/b second");
  return session;
}

async function fork(daemon: TestDaemon, id: string): Promise<Session> {
  return expectOk(await daemon.call<Session>("POST", `/sessions/${id}/fork`, {}), 201);
}

async function forget(daemon: TestDaemon, id: string): Promise<void> {
  expectOk(await daemon.call("DELETE", `/sessions/${id}`));
}

const keptOf = async (daemon: TestDaemon) => expectOk(await daemon.call<Doctor>("GET", "/api/doctor")).home;
const gone = (path: string) => eventually(`${path} is gone`, async () => !existsSync(path));
const told = (daemon: TestDaemon, path: string, reason: string) =>
  eventually(`doctor tells of ${path}`, async () => {
    if ((await keptOf(daemon)).left.some((one) => one.path === path && one.reason === reason)) return true;
    await sleep(DOCTOR_REST_MS);
    return false;
  });
/** The doctor reads the whole log. */
const DOCTOR_REST_MS = 200;

provesForks(
  "SN-23",
  "a forgotten fork takes its directory along; one with work in it keeps it, and doctor says so",
  async () => {
    const home = await newHome();
    const first = await startDaemon({ home });
    const parent = await parentWithFiles(first);
    const [idle, busy] = [await fork(first, parent.id), await fork(first, parent.id)];
    await turn(first, busy.id, "write only-here work");
    for (const { id } of [idle, busy]) await forget(first, id);
    await gone(idle.cwd);
    await told(first, busy.cwd, "work");
    expect((await keptOf(first)).ok).toBe(true);
    expect((await first.cli("doctor")).stdout).toContain(`rm -rf '${busy.cwd}'`);
    await first.kill9();
    const second = await startDaemon({ home });
    await told(second, busy.cwd, "work");
    expect(readFileSync(join(busy.cwd, "only-here"), "utf8")).toBe("work");
    expect(readFileSync(join(parent.cwd, "a"), "utf8")).toBe("first");
  },
);

provesForks("SN-23", "a directory that another session or a person is in stays until both have left", async () => {
  const home = await newHome();
  const first = await startDaemon({ home });
  const { id, cwd } = await fork(first, (await parentWithFiles(first)).id);
  const guest = await start(first, { cwd: join(cwd, "deep") });
  await forget(first, id);
  await told(first, cwd, "in_use");
  const person = spawn("sleep", ["1000"], { cwd, stdio: "ignore" });
  await forget(first, guest.id);
  await first.stop();
  const second = await startDaemon({ home });
  await told(second, cwd, "in_use");
  person.kill("SIGKILL");
  await once(person, "exit");
  expectOk(await second.call("POST", "/api/gc", { maxAgeDays: 365 }));
  await gone(cwd);
});

provesForks(
  "SN-23",
  "a collection takes the directories of archived forks, also when their parents are archived with them",
  async () => {
    const daemon = await startDaemon();
    const parent = await parentWithFiles(daemon);
    const [idle, busy] = [await fork(daemon, parent.id), await fork(daemon, parent.id)];
    await turn(daemon, busy.id, "write a changed");
    for (const { id } of [idle, busy, parent]) expectOk(await daemon.call("POST", `/sessions/${id}/kill`, {}));
    expectOk(await daemon.call("POST", "/api/gc", { maxAgeDays: 0 }));
    expect(existsSync(idle.cwd)).toBe(false);
    expect(readFileSync(join(busy.cwd, "a"), "utf8")).toBe("changed");
  },
);

provesForks(
  "SN-23",
  "after a crash: what lay aside is put back, and what no session of this log owns is kept with its files",
  async () => {
    const home = await newHome();
    const first = await startDaemon({ home });
    const { id, cwd } = await fork(first, (await parentWithFiles(first)).id);
    const stranger = join(home, "forks", "01a00000-0000-7000-8000-000000000000");
    await first.kill9();
    renameSync(cwd, join(home, "forks", `.removing-${id}`));
    mkdirSync(stranger);
    writeFileSync(join(stranger, "notes"), "of a log that was restored");
    const second = await startDaemon({ home });
    await told(second, stranger, "work");
    expect(readdirSync(join(home, "forks")).toSorted()).toEqual([stranger.split("/").at(-1), id].toSorted());
    await turn(second, id, "write c third");
    expect(readFileSync(join(cwd, "c"), "utf8")).toBe("third");
  },
);
