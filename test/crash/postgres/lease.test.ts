import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { SYSTEM_STREAM, System, systemFact } from "../../../src/domains/index.ts";
import type { Store, StoreError } from "../../../src/store/index.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { startCutProxy } from "../../support/cut-proxy.ts";
import { onPostgres, testSchema } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, everyEvent, note, openSession } from "../../support/store-home.ts";

const TTL_MS = 1200;
const FAST = { answerSlackMs: 100, lockWaitMs: 3000, idleInTransactionMs: 500, rideOutMs: 100 };

describe("the lease of a log on PostgreSQL", () => {
  proves(
    "PG-3",
    "a second daemon is refused while the first lives, and gets the lease when it is released",
    async () => {
      await using schema = await testSchema();
      const first = await daemonStore(schema.url, "home-a");
      await expect(daemonStore(schema.url, "home-b")).rejects.toMatchObject({
        code: "home_in_use",
        details: { heldBy: "home-a" },
      });
      await sleep(TTL_MS * 1.5);
      await expect(daemonStore(schema.url, "home-b")).rejects.toMatchObject({ code: "home_in_use" });
      const waiting = daemonStore(schema.url, "home-b", { waitMs: 10_000 });
      await sleep(200);
      await first.store.close();
      const second = await waiting;
      expect(first.fatal).toEqual([]);
      await second.store.close();
    },
  );

  proves(
    "PG-3",
    "the same home takes the lease at once: the home lock proves that the last holder is dead",
    async () => {
      await using schema = await testSchema();
      const dead = await daemonStore(schema.url, "home-a");
      const next = await daemonStore(schema.url, "home-a");
      await sleep(TTL_MS);
      expect(dead.fatal.map(({ code }) => code)).toEqual(["stale_fence"]);
      await expect(openSession(dead.store)).rejects.toMatchObject({ code: "stale_fence" });
      await openSession(next.store, undefined, next.fence);
      await Promise.all([dead.store.close(), next.store.close()]);
    },
  );

  proves(
    "PG-3",
    "a daemon that is cut off stops when its lease ends, another takes over, and the log has one writer",
    async () => {
      await using schema = await testSchema();
      await using proxy = await startCutProxy(schema.url);
      const first = await daemonStore(proxy.url, "home-a", { statementMs: 400 });
      const stream = await openSession(first.store, undefined, first.fence);
      const startedMs = performance.now();
      proxy.goDead(true);
      const second = await daemonStore(schema.url, "home-b", { waitMs: 15_000 });
      expect(performance.now() - startedMs).toBeGreaterThan(TTL_MS * 0.5);
      await appendTo(second.store, stream, [note("second")], second.fence);
      const untilMs = Date.now() + 10_000;
      while (first.fatal.length === 0 && Date.now() < untilMs) await sleep(20);
      expect(first.fatal.map(({ code }) => code)).toEqual(["store_unreachable"]);
      proxy.goDead(false);
      await expect(
        first.store.append([{ stream, expectedVersion: 1, events: [] }], { fence: first.fence }),
      ).rejects.toThrow();
      await expect(appendTo(first.store, stream, [note("first")], first.fence)).rejects.toMatchObject({
        code: "store_unreachable",
      });
      expect((await everyEvent(second.store)).filter(({ stream: of }) => of === stream)).toHaveLength(2);
      await Promise.all([first.store.close(), second.store.close()]);
    },
  );

  proves("PG-3", "a daemon that slept past its lease is fenced out, whatever it does first", async () => {
    for (const first of ["append", "take"] as const) {
      await using schema = await testSchema();
      const sleeper = await daemonStore(schema.url, "home-a");
      const stream = await openSession(sleeper.store, undefined, sleeper.fence);
      // As if it had been paused: its lease ran out, and another daemon took it.
      await onPostgres(schema.url, (client) =>
        client.query(`UPDATE "${schema.name}".leases SET holder = 'home-b', claim = gen_random_uuid()`),
      );
      const other = await daemonStore(schema.url, "home-b");
      const version = await other.store.version(stream);
      const stale = { code: "stale_fence" };
      if (first === "append")
        await expect(appendTo(sleeper.store, stream, [note(1)], sleeper.fence)).rejects.toMatchObject(stale);
      else await expect(takeFence(sleeper.store)).rejects.toMatchObject(stale);
      expect(await other.store.version(stream)).toBe(version);
      await appendTo(other.store, stream, [note(2)], other.fence);
      const untilMs = Date.now() + 5000;
      while (sleeper.fatal.length === 0 && Date.now() < untilMs) await sleep(20);
      expect(sleeper.fatal.map(({ code }) => code)).toEqual(["stale_fence"]);
      expect(other.fatal).toEqual([]);
      await Promise.all([sleeper.store.close(), other.store.close()]);
    }
  });

  proves(
    "PG-3",
    "many daemons wait for a dead one: exactly one at a time gets the lease, and the fence only rises",
    async () => {
      await using schema = await testSchema();
      const fences: number[] = [];
      const inside: string[] = [];
      const once = async (name: string): Promise<void> => {
        const mine = await daemonStore(schema.url, name, { waitMs: 60_000 });
        inside.push(name);
        expect(inside).toEqual([name]);
        fences.push(mine.fence);
        await openSession(mine.store, undefined, mine.fence);
        inside.pop();
        await mine.store.close();
        expect(mine.fatal).toEqual([]);
      };
      await Promise.all(Array.from({ length: 5 }, (_, n) => once(`home-${n}`)));
      expect(fences).toEqual([1, 2, 3, 4, 5]);
    },
  );
});

interface DaemonStore {
  readonly store: Store;
  readonly fence: number;
  readonly fatal: readonly StoreError[];
}

/** As a daemon opens it: the lease by the database's clock, then the fence in the log. */
async function daemonStore(
  url: string,
  holder: string,
  { waitMs = 0, statementMs = 10_000 } = {},
): Promise<DaemonStore> {
  const fatal: StoreError[] = [];
  const store = await openPostgresStore({
    url,
    onFatal: (error) => fatal.push(error),
    lease: { holder, ttlMs: TTL_MS, waitMs },
    limits: { ...FAST, statementMs },
  });
  return { store, fence: await takeFence(store), fatal };
}

async function takeFence(store: Store): Promise<number> {
  const fence = (await store.fold(System, "")).lease.lastFence + 1;
  await appendTo(
    store,
    SYSTEM_STREAM,
    [systemFact("lease.acquired@1", { resource: "home", holder: "test", fence })],
    fence,
  );
  return fence;
}
