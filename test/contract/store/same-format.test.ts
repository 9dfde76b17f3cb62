import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { describe, expect } from "vitest";
import { SESSIONS } from "../../../src/kernel/index.ts";
import { logPath, openSqliteStore, type Store } from "../../../src/store/index.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { loadLog } from "../../../src/store/postgres/writer/load.ts";
import { onPostgres, type TestSchema, testSchema } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";
import { fillRichly } from "../../support/store-damage.ts";
import { appendTo, everyEvent, makeTestHome, note } from "../../support/store-home.ts";
import { asBefore, throwOnFatal } from "../../support/store-sqlite.ts";

/** An event as both stores keep it: its bytes and its position. */
interface Kept {
  readonly seq: number;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly bytes: readonly (Uint8Array | null)[];
}

describe("one log format", () => {
  proves("PG-6", "a SQLite log carried to PostgreSQL byte by byte verifies and goes on", async () => {
    await using home = await makeTestHome();
    const from = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
    await fillRichly(from);
    const truth = await everyEvent(from);
    await from.close();
    await using schema = await testSchema();
    await (await openPostgresStore({ url: schema.url, onFatal: throwOnFatal })).close();
    await intoPostgres(schema, fromSqlite(home.path));
    const to = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal });
    await expectSame(to, truth);
    await to.close();
  });

  proves("PG-6", "a PostgreSQL log carried to SQLite byte by byte verifies and goes on", async () => {
    await using schema = await testSchema();
    const from = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal });
    await fillRichly(from);
    const truth = await everyEvent(from);
    await from.close();
    await using home = await makeTestHome();
    await (await openSqliteStore({ home: home.path, onFatal: throwOnFatal })).close();
    intoSqlite(home.path, await fromPostgres(schema));
    const to = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
    await expectSame(to, truth);
    await to.close();
  });
});

describe("a copy that is loaded into PostgreSQL", () => {
  for (const version of [3, 4])
    proves("FOL-6", `a copy of version ${version} brings its cursors, if it has any`, async () => {
      await using home = await makeTestHome();
      await using copy = await makeTestHome();
      const from = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
      await fillRichly(from);
      await from.setCursor("books", { seq: 2, id: "two" }, { fence: 1 });
      const truth = await everyEvent(from);
      await from.copyTo(copy.path);
      await from.close();
      if (version === 3) {
        const db = new DatabaseSync(logPath(copy.path));
        for (const statement of asBefore(3)) db.exec(statement);
        forgetWhenAsked(db);
        db.close();
      }
      await using schema = await testSchema();
      await loadLog(schema.url, copy.path);
      const to = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal });
      expect(await everyEvent(to)).toEqual(truth);
      expect(await to.cursor("books")).toEqual(version === 3 ? null : { seq: 2, id: "two" });
      const { differences } = await to.rebuild({ fence: 1 });
      expect(differences.filter(({ model }) => model === "snapshot")).toEqual([]);
      expect((await to.rebuild(null)).differences).toEqual([]);
      await to.close();
    });
});

/** Folds as version 3 stored them: open questions without their time. */
function forgetWhenAsked(db: DatabaseSync): void {
  const put = db.prepare("UPDATE snapshots SET state = ?, sum = ? WHERE stream = ? AND version = ?");
  let changed = 0;
  for (const { stream, version, state } of db.prepare("SELECT stream, version, state FROM snapshots").all()) {
    if (!(state instanceof Uint8Array)) continue;
    const before = Buffer.from(state).toString("utf8");
    const after = Buffer.from(before.replaceAll(/,?"askedAt":"[^"]*"/g, ""));
    if (after.length < before.length) changed += 1;
    put.run(after, crc32(after), stream ?? 0, version ?? 0);
  }
  expect(changed).toBeGreaterThan(0);
}

/** Same events, same hashes; derived data is rebuilt from them, and the log can go on. */
async function expectSame(store: Store, truth: Awaited<ReturnType<typeof everyEvent>>): Promise<void> {
  expect(await everyEvent(store)).toEqual(truth);
  expect(await store.verify()).toMatchObject({ ok: true, events: truth.length });
  expect((await store.rebuild({ fence: 1 })).ok).toBe(false);
  expect((await store.rebuild(null)).differences).toEqual([]);
  const [session] = await store.rows(SESSIONS, { limit: 1 });
  await appendTo(store, `session/${session?.id}`, [note("and on it goes")], 1);
  expect(await store.verify()).toMatchObject({ ok: true, events: truth.length + 1 });
}

const COLUMNS = "e.seq, e.version, e.id, e.type, e.prev, e.header, e.hash, e.salt, e.data, s.name";

function fromSqlite(home: string): readonly Kept[] {
  const db = new DatabaseSync(logPath(home), { readOnly: true });
  const rows = db.prepare(`SELECT ${COLUMNS} FROM events e JOIN streams s ON s.no = e.stream ORDER BY e.seq`).all();
  db.close();
  return rows.map((row) => kept(row, String(row["name"]), String(row["type"]), row["id"]));
}

async function fromPostgres(schema: TestSchema): Promise<readonly Kept[]> {
  const { rows } = await onPostgres(schema.url, (client) =>
    client.query<Record<string, unknown>>(
      `SELECT ${COLUMNS.replace("e.id", "decode(replace(e.id::text, '-', ''), 'hex') AS id")} FROM "${schema.name}".events e JOIN "${schema.name}".streams s ON s.no = e.stream ORDER BY e.seq`,
    ),
  );
  return rows.map((row) => kept(row, String(row["name"]), String(row["type"]), row["id"]));
}

function kept(row: Record<string, unknown>, stream: string, type: string, id: unknown): Kept {
  const bytes = [id, row["prev"], row["header"], row["hash"], row["salt"], row["data"]];
  return {
    seq: Number(row["seq"]),
    stream,
    version: Number(row["version"]),
    type,
    bytes: bytes.map((value) => (value instanceof Uint8Array ? value : null)),
  };
}

async function intoPostgres(schema: TestSchema, events: readonly Kept[]): Promise<void> {
  await onPostgres(schema.url, async (client) => {
    await client.query(`SET search_path TO "${schema.name}"`);
    const numbers = streamNumbers(events);
    for (const [name, no] of numbers)
      await client.query("INSERT INTO streams(no, name) VALUES ($1, $2)", [no, Buffer.from(name)]);
    for (const { seq, stream, version, type, bytes } of events) {
      const [id, ...rest] = bytes.map((value) => (value === null ? null : Buffer.from(value)));
      await client.query("INSERT INTO events VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", [
        ...[seq, numbers.get(stream), version, id?.toString("hex"), Buffer.from(type)],
        ...rest,
      ]);
    }
    await client.query("UPDATE head SET seq = $1, streams = $2", [events.length, numbers.size]);
  });
}

function intoSqlite(home: string, events: readonly Kept[]): void {
  const db = new DatabaseSync(logPath(home));
  const numbers = streamNumbers(events);
  for (const [name, no] of numbers) db.prepare("INSERT INTO streams(no, name) VALUES (?, ?)").run(no, name);
  const insert = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const { seq, stream, version, type, bytes } of events) {
    const [id = null, ...rest] = bytes;
    insert.run(seq, numbers.get(stream) ?? 0, version, id, type, ...rest);
  }
  db.close();
}

function streamNumbers(events: readonly Kept[]): ReadonlyMap<string, number> {
  const names = [...new Set(events.map(({ stream }) => stream))];
  return new Map(names.map((name, at) => [name, at + 1]));
}
