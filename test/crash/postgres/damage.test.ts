import type { Client } from "pg";
import { describe, expect } from "vitest";
import { SESSIONS } from "../../../src/kernel/index.ts";
import { type RecordedEvent, type Store, StoreError } from "../../../src/store/index.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { onPostgres, type TestSchema, testSchema } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";
import { fillRichly } from "../../support/store-damage.ts";
import { appendTo, everyEvent, note } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";

const COLUMNS = ["header", "data", "salt", "prev", "hash", "type"] as const;

describe("a PostgreSQL log that was changed by hand", () => {
  proves(
    "PG-7",
    "one changed bit in any event: the event is never shown as valid, and the check names its place",
    async () => {
      await using schema = await testSchema();
      const store = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal });
      await fillRichly(store);
      const truth = await everyEvent(store);
      expect(await store.verify()).toMatchObject({ ok: true, events: truth.length, problems: [] });
      await onSchema(schema, async (client) => {
        for (const [n, column] of [...COLUMNS, ...COLUMNS, ...COLUMNS].entries()) {
          const seq = 1 + ((n * 37) % truth.length);
          const flip = `UPDATE events SET ${column} = set_bit(${column}, (octet_length(${column}) * 8 * ${n + 1}) / 20, 1 - get_bit(${column}, (octet_length(${column}) * 8 * ${n + 1}) / 20)) WHERE seq = ${seq} AND ${column} IS NOT NULL`;
          const { rowCount } = await client.query(flip);
          if (rowCount === 1) {
            const shown = await everyEvent(store).catch((error: unknown) => error);
            if (shown instanceof StoreError) expect(shown).toMatchObject({ code: "log_corrupt", details: { seq } });
            else expect(shown).toEqual(truth);
            const { ok, problems } = await store.verify();
            expect(ok, `${column} of ${seq}`).toBe(false);
            expect(problems[0]?.seq, `${column} of ${seq}`).toBe(seq);
          }
          await client.query(flip);
        }
      });
      expect(await store.verify()).toMatchObject({ ok: true });
      await store.close();
    },
  );

  proves("PG-7", "removed or moved events are found, and a stream does not continue from a changed link", async () => {
    await using schema = await testSchema();
    const store = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal });
    await fillRichly(store);
    const truth = await everyEvent(store);
    const last = truth.at(-1);
    if (last === undefined) throw new Error("nothing was written");
    await onSchema(schema, async (client) => {
      const during = async (change: string, look: () => Promise<void>): Promise<void> => {
        await client.query("CREATE TABLE kept AS SELECT * FROM events");
        await client.query(change);
        await look();
        await client.query("DELETE FROM events; INSERT INTO events SELECT * FROM kept; DROP TABLE kept");
      };
      await during("DELETE FROM events WHERE seq = 7", async () => {
        await expect(everyEvent(store)).rejects.toMatchObject({ code: "log_corrupt", details: { seq: 7 } });
        expect((await store.verify()).problems[0]).toMatchObject({ seq: 7, problem: "missing" });
      });
      await during(`DELETE FROM events WHERE seq = ${last.seq}`, async () => {
        expect((await store.verify()).problems).toMatchObject([{ problem: expect.stringContaining("head") }]);
      });
      await during(`UPDATE events SET seq = seq + 1000 WHERE seq > 20`, async () => {
        expect((await store.verify()).problems[0]).toMatchObject({ seq: 21, problem: "missing" });
      });
    });
    await store.close();
    const again = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal });
    await onSchema(schema, (client) =>
      client.query(`UPDATE events SET hash = set_byte(hash, 3, get_byte(hash, 3) # 1) WHERE seq = ${last.seq}`),
    );
    await expect(refused(again, last)).resolves.toMatchObject({ code: "log_corrupt" });
    await again.close();
  });

  proves("PG-7", "everything derived from the log is compared with it, and rewritten on request", async () => {
    await using schema = await testSchema();
    const store = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal });
    await fillRichly(store);
    expect((await store.rebuild(null)).differences).toEqual([]);
    const rows = await store.rows(SESSIONS, { limit: 10 });
    await onSchema(schema, async (client) => {
      for (const [change, model] of [
        ["UPDATE sessions SET row = set_byte(row, 9, 63)", "session"],
        ["UPDATE sessions SET alive = 1 - alive", "session"],
        ["DELETE FROM approvals WHERE id = 'a1'", "approval"],
        ["UPDATE approvals SET status = 'pending'", "approval"],
        ["INSERT INTO agents(id, row, sum) VALUES ('ghost', '{}', 0)", "agent"],
        ["UPDATE tokens SET secret = 'another'", "token"],
        ["UPDATE snapshots SET state = set_byte(state, 20, 63)", "snapshot"],
        ["DELETE FROM calls", "call"],
        ["DELETE FROM event_blobs", "event_blob"],
      ] as const) {
        await client.query(change);
        const { ok, differences } = await store.rebuild({ fence: 1 });
        expect(ok, change).toBe(false);
        expect(new Set(differences.map((difference) => difference.model)), change).toEqual(new Set([model]));
        expect((await store.rebuild(null)).differences, change).toEqual([]);
      }
      await client.query("UPDATE sessions SET row = set_byte(row, 9, 63)");
      await expect(store.rows(SESSIONS, { limit: 10 })).rejects.toMatchObject({ code: "log_corrupt" });
      await store.rebuild({ fence: 1 });
    });
    expect(await store.rows(SESSIONS, { limit: 10 })).toEqual(rows);
    await store.close();
  });
});

function onSchema<T>(schema: TestSchema, work: (client: Client) => Promise<T>): Promise<T> {
  return onPostgres(schema.url, async (client) => {
    await client.query(`SET search_path TO "${schema.name}"`);
    return work(client);
  });
}

function refused(store: Store, { stream }: RecordedEvent): Promise<unknown> {
  return appendTo(store, stream, [note(1)], 1).catch((error: unknown) => error);
}
