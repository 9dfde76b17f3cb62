import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { startDaemon } from "../../../src/app/index.ts";
import { openSqliteStore } from "../../../src/store/index.ts";
import { MODULE } from "../../definitions/aggregates.ts";
import { remindersIn } from "../../definitions/reminder-home.ts";
import { proves } from "../../support/proves.ts";
import { everyEvent, makeTestHome, openSession } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";

const PAST = "2020-01-01T00:00:00.000Z";
const REPOSITORY = join(import.meta.dirname, "../../..");

proves("DEF-2", "a daemon with one more definition rings, queues, lists and checks it", async () => {
  await using home = await makeTestHome();
  const options = { home: home.path, onFatal: throwOnFatal, definitions: MODULE };
  const before = await openSqliteStore(options);
  const { remind } = remindersIn(() => before);
  for (let n = 0; n < 3; n += 1) await remind({ dueAt: PAST });
  await remind({ dueAt: "2999-01-01T00:00:00.000Z" });
  await before.close();

  await using daemon = await daemonIn(home.path);
  const { get } = daemon;
  await vi.waitFor(
    async () =>
      expect(await get("/api/queue")).toMatchObject({
        waits: [{ item: "work", lane: "reminder/desk", priority: 0, reason: "2 of 2 places taken" }],
        next: null,
      }),
    20_000,
  );
  expect(await get("/api/status")).toMatchObject({
    waiting: {
      alarms: { set: 1, due: 0, stuck: [] },
      unfilledLists: [],
    },
  });
  expect(await get("/api/doctor?rebuild=true")).toMatchObject({ ok: true, models: { differences: [] } });
  await daemon.stop();

  const after = await openSqliteStore(options);
  const events = await everyEvent(after);
  expect(events.filter(({ type }) => type === "reminder.rang@1")).toHaveLength(3);
  expect(events.filter(({ type }) => type === "reminder.started@1")).toHaveLength(2);
  await after.close();
});

proves("DEF-2", "lists that are new to a log are filled in the background after the start", async () => {
  await using home = await makeTestHome();
  const before = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
  await openSession(before);
  await before.close();
  const opened = await openSqliteStore({ home: home.path, onFatal: throwOnFatal, definitions: MODULE });
  expect(await opened.unfilledLists()).toEqual(["reminder"]);
  await opened.close();
  await using daemon = await daemonIn(home.path);
  await vi.waitFor(
    async () => expect(await daemon.get("/api/status")).toMatchObject({ waiting: { unfilledLists: [] } }),
    20_000,
  );
  expect(await daemon.get("/api/doctor")).toMatchObject({ ok: true });
});

proves("DEF-2", "a new aggregate needs only its own folder and no other file of the program", async () => {
  const files = await readdir(join(REPOSITORY, "src"), { recursive: true });
  const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  const naming: string[] = [];
  for (const file of sources)
    if (/reminder/i.test(await readFile(join(REPOSITORY, "src", file), "utf8"))) naming.push(file);
  expect(sources.length).toBeGreaterThan(100);
  expect(naming).toEqual([]);
});

async function daemonIn(home: string) {
  const daemon = await startDaemon({
    home,
    port: 0,
    version: "0.0.0",
    environment: {},
    cwd: home,
    tour: false,
    echo: () => undefined,
    definitions: MODULE,
    die: (exitCode) => {
      throw new Error(`the daemon wants to die with ${exitCode}`);
    },
  });
  const token = (await readFile(join(home, "token"), "utf8")).trim();
  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopped ??= daemon.stop();
    return stopped;
  };
  return {
    stop,
    get: async (path: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`http://127.0.0.1:${daemon.port}${path}`, { headers })).json();
    },
    [Symbol.asyncDispose]: stop,
  };
}
