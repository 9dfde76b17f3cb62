import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { describe, expect } from "vitest";
import { AGENTS, TOKENS } from "../../../src/domains/index.ts";
import { SESSIONS, Session } from "../../../src/kernel/index.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { onPostgres, startPostgres, testSchema } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, note, openSession } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";

describe("limits of a store on PostgreSQL", () => {
  proves(
    "PG-5",
    "with every connection in use readers wait a while and are then refused; later all works again",
    async () => {
      await using schema = await testSchema();
      const limits = { connectionsMax: 2, waitingMax: 3, waitMaxMs: 300, lockWaitMs: 1500 };
      const store = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal, limits });
      const stream = await openSession(store);
      await onPostgres(schema.url, async (client) => {
        await client.query(`BEGIN; LOCK TABLE "${schema.name}".events IN ACCESS EXCLUSIVE MODE`);
        const sinceMs = Date.now();
        const ends = await Promise.allSettled(Array.from({ length: 9 }, () => store.readAll({ limit: 1 })));
        expect(ends.every(({ status }) => status === "rejected")).toBe(true);
        for (const end of ends) if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "overloaded" });
        expect(Date.now() - sinceMs).toBeLessThan(4000);
        await client.query("ROLLBACK");
      });
      const after = await Promise.all(Array.from({ length: 5 }, () => store.readAll({ limit: 1 })));
      expect(after.every(({ events }) => events.length === 1)).toBe(true);
      expect(await appendTo(store, stream, [note(1)])).toHaveLength(1);
      await store.close();
    },
  );

  proves("PG-5", "a writer that finds the log locked is refused, and nothing is written later", async () => {
    await using schema = await testSchema();
    const limits = { lockWaitMs: 300 };
    const store = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal, limits });
    const stream = await openSession(store);
    await onPostgres(schema.url, async (client) => {
      await client.query(`BEGIN; SELECT * FROM "${schema.name}".head FOR UPDATE`);
      await expect(appendTo(store, stream, [note(1)])).rejects.toMatchObject({ code: "overloaded" });
      await client.query("ROLLBACK");
    });
    expect(await appendTo(store, stream, [note(2)])).toMatchObject([{ version: 2, data: { payload: 2 } }]);
    await store.close();
  });

  proves("PG-5", "a server without a free connection refuses, and the store goes on when there is one", async () => {
    await using server = await startPostgres(["max_connections=8", "superuser_reserved_connections=0"]);
    const limits = { connectionsMax: 2, rideOutMs: 300, reachMaxMs: 500 };
    const store = await openPostgresStore({ url: server.url, onFatal: throwOnFatal, limits });
    const stream = await openSession(store);
    const others: Client[] = [];
    const taken = async (): Promise<boolean> => {
      const client = new Client({ connectionString: server.url });
      client.on("error", () => undefined);
      return client.connect().then(
        () => others.push(client) > 0,
        () => false,
      );
    };
    await taken();
    await others[0]?.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nomos'");
    while (await taken());
    await expect(store.readAll({ limit: 1 })).rejects.toMatchObject({ code: "overloaded" });
    await expect(appendTo(store, stream, [note(1)])).rejects.toMatchObject({ code: "overloaded" });
    await Promise.all(others.map((client) => client.end()));
    await untilAnswered(() => store.readAll({ limit: 1 }));
    expect(await appendTo(store, stream, [note(1)])).toHaveLength(1);
    expect(await store.verify()).toMatchObject({ ok: true, events: 2 });
    await store.close();
  });

  proves("PG-5", "NUL, quotes and marks pass through names, filters and full text unchanged", async () => {
    await using schema = await testSchema();
    const store = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal });
    const awkward = "a\u0000b 'quoted' \\ ä 𝄞";
    const stream = await openSession(store, awkward);
    const id = stream.slice("session/".length);
    expect(await store.row(SESSIONS, id)).toMatchObject({ name: awkward });
    await appendTo(store, stream, [note({ [awkward]: [awkward, "\ud800"] }, awkward)]);
    expect((await store.readStream(stream, { limit: 9, turnId: awkward })).events).toHaveLength(1);
    for (const text of ["\u0000", "\\x00", "%", "", "\ud800", "' OR true --"]) {
      expect(Array.isArray(await store.search(text, 5, Session))).toBe(true);
      expect(await store.rows(SESSIONS, { limit: 2, where: { name: text } })).toEqual([]);
      expect(await store.rows(SESSIONS, { limit: 2, idPrefix: text === "" ? "zz" : text })).toEqual([]);
      expect(await store.row(AGENTS, text)).toBeNull();
      expect(await store.count(TOKENS, { secret: text })).toBe(0);
      expect((await store.readAll({ limit: 1, types: [text] })).events).toEqual([]);
    }
    expect(await store.rows(SESSIONS, { limit: 2, where: { name: awkward } })).toMatchObject([{ id }]);
    await onPostgres(schema.url, (client) =>
      client.query(`DELETE FROM "${schema.name}".search_docs; UPDATE "${schema.name}".search_cursor SET seq = 0`),
    );
    expect(await store.search("QUOTED A", 5, Session)).toHaveLength(1);
    expect((await store.rebuild(null)).differences).toEqual([]);
    await store.close();
  });

  proves(
    "PG-5",
    "positions beyond 32 bits are numbers; one beyond the largest exact number stops the store",
    async () => {
      await using schema = await testSchema();
      const fatal: string[] = [];
      const store = await openPostgresStore({ url: schema.url, onFatal: ({ code }) => fatal.push(code) });
      const stream = await openSession(store);
      const move = (to: string) =>
        onPostgres(schema.url, (client) => client.query(`UPDATE "${schema.name}".head SET seq = ${to}`));
      await move("6000000000");
      const [far] = await appendTo(store, stream, [note(1)]);
      expect(far?.seq).toBe(6_000_000_001);
      expect(await store.event(far?.id ?? "")).toEqual(far);
      expect((await store.readAll({ after: 6_000_000_000, limit: 5 })).events).toEqual([far]);
      await move("9007199254740993");
      await expect(appendTo(store, stream, [note(2)])).rejects.toMatchObject({ code: "log_corrupt" });
      expect(fatal).toEqual(["log_corrupt"]);
      await store.close();
    },
  );
});

async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  const untilMs = Date.now() + 10_000;
  while (Date.now() < untilMs)
    try {
      await ask();
      return;
    } catch {
      await sleep(100);
    }
  await ask();
}
