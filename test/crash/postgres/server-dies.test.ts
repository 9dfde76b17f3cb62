import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { onPostgres, startPostgres } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, note, openSession } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";
import { expectKept, startLoad } from "./load.ts";

const WRITERS = 24;
const ROUNDS = 5;

describe("a PostgreSQL that dies", () => {
  proves("PG-1", "killed under load and restarted: nothing acknowledged is lost, nothing is done twice", async () => {
    await using server = await startPostgres();
    const store = await openPostgresStore({ url: server.url, onFatal: throwOnFatal });
    const load = startLoad(store, WRITERS);
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = load.acknowledged();
      await reached(() => load.acknowledged() > before + WRITERS * 3);
      await sleep(Math.random() * 50);
      await server.kill9();
      await server.start();
    }
    const last = load.acknowledged();
    await reached(() => load.acknowledged() > last + WRITERS);
    const told = await load.stop();
    await expectKept(store, told);
    await store.close();
  });

  proves(
    "PG-1",
    "connections killed or ended one by one, the writer's too: nothing acknowledged is lost, nothing is done twice",
    async () => {
      await using server = await startPostgres();
      const store = await openPostgresStore({ url: server.url, onFatal: throwOnFatal });
      const load = startLoad(store, WRITERS);
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = load.acknowledged();
        await reached(() => load.acknowledged() > before + WRITERS * 2);
        const pids = await whenItAnswers(() =>
          onPostgres(server.url, async (client) => {
            const { rows } = await client.query<{ pid: number }>(
              "SELECT pid FROM pg_stat_activity WHERE application_name = 'nomos' AND pid <> pg_backend_pid()",
            );
            if (round % 2 === 0)
              for (const { pid } of rows) await client.query("SELECT pg_terminate_backend($1)", [pid]);
            return rows.map(({ pid }) => pid);
          }),
        );
        // A killed backend puts the whole server into recovery.
        const [victim] = pids;
        if (round % 2 === 1 && victim !== undefined) process.kill(victim, "SIGKILL");
      }
      const last = load.acknowledged();
      await reached(() => load.acknowledged() > last + WRITERS);
      await expectKept(store, await load.stop());
      await store.close();
    },
  );

  proves(
    "PG-2",
    "down for longer: reads and writes are refused by name, then the store goes on by itself",
    async () => {
      await using server = await startPostgres();
      const limits = { reachMaxMs: 700, rideOutMs: 300 };
      const store = await openPostgresStore({ url: server.url, onFatal: throwOnFatal, limits });
      const stream = await openSession(store);
      const seen: number[] = [];
      const stop = new AbortController();
      const following = (async () => {
        for await (const events of store.tail({ after: 0, signal: stop.signal }))
          seen.push(...events.map(({ seq }) => seq));
      })();
      await server.stop();
      const unreachable = { code: "store_unreachable" };
      await expect(store.readAll({ limit: 1 })).rejects.toMatchObject(unreachable);
      await expect(store.foldStream(stream)).rejects.toMatchObject(unreachable);
      await expect(store.putBlob(Buffer.from("x"))).rejects.toMatchObject(unreachable);
      await expect(store.append([{ stream, expectedVersion: 1, events: [] }], { fence: 0 })).rejects.toThrow();
      const refused = appendTo(store, stream, [note(1)]).catch((error: unknown) => error);
      expect(await refused).toMatchObject(unreachable);
      expect(JSON.stringify(await refused)).not.toContain(new URL(server.url).password);
      await server.start();
      await reached(() =>
        store.readAll({ limit: 1 }).then(
          () => true,
          () => false,
        ),
      );
      await appendTo(store, stream, [note(2)]);
      await reached(() => seen.length === 2);
      stop.abort();
      await following;
      expect(seen).toEqual([1, 2]);
      await store.close();
    },
  );
});

async function reached(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > untilMs) throw new Error("it did not go on");
    await sleep(20);
  }
}

const ANSWER_TRIES = 100;
const ANSWER_EVERY_MS = 100;

/** It may still be recovering from the last kill. */
async function whenItAnswers<T>(ask: () => Promise<T>, triesLeft = ANSWER_TRIES): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    if (triesLeft === 1) throw thrown;
    await sleep(ANSWER_EVERY_MS);
    return whenItAnswers(ask, triesLeft - 1);
  }
}
