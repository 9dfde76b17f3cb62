import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { makeTestHome, newId, note, opened } from "../../../../test/support/store-home.ts";
import { type AnyFact, sessionStream } from "../../../kernel/index.ts";
import { HOUSE } from "../../definitions.ts";
import { blobPath } from "../../files/blobs.ts";
import { createSalts, prepare } from "../../log/prepare-append.ts";
import { NOTHING, type Repair, type WritePart, type WriteReply, type WriteRequest } from "../../log/write-request.ts";
import { bytesOf } from "../../models/quota.ts";
import { ensureLists } from "../tables/lists.ts";
import { openForReading, openForWriting } from "../tables/schema.ts";
import { usageProblems } from "./recount-usage.ts";
import { createWriter } from "./writer.ts";

const BLOB = "ab".repeat(32);
const BLOB_BYTES = 10;
const MUCH = 1_000_000;
const NO_REPAIR: Repair = { streams: [], remove: [], calls: [], blobs: [], reindex: false, recount: false };

/** The writer without its thread and without flushes, and one session with an event of each kind of fact given. */
async function upkeepHere(...facts: readonly AnyFact[]) {
  const home = await makeTestHome();
  const path = join(home.path, "log.db");
  const blobs = join(home.path, "blobs");
  const open = () => {
    const db = openForWriting(path);
    db.exec("PRAGMA synchronous=OFF; PRAGMA busy_timeout=0");
    ensureLists(db, HOUSE.lists);
    return { db, writer: createWriter(db, blobs, HOUSE.lists) };
  };
  const { db, writer } = open();
  const newSalt = createSalts();
  const stream = sessionStream(newId());
  let fold = HOUSE.empty(stream);
  const part = (...given: readonly AnyFact[]): WritePart => {
    const about = { at: "2026-01-01T00:00:00.000Z", actor: "test", cause: null };
    const events = given.map((fact) => ({ id: newId(), ...about, fact }));
    const from = { stream, expectedVersion: fold.state.version, events };
    const { write, after } = prepare(HOUSE, from, fold, null, newSalt);
    fold = after;
    return write;
  };
  const write = (more: Partial<WriteRequest>): WriteReply =>
    writer.commit([{ ...NOTHING, fence: 0, ...more }])[0] ?? expect.fail("no reply");
  const first = part(opened(), ...facts);
  return {
    ...{ db, writer, open, stream, part, write, first, blobs },
    one: (sql: string) => db.prepare(sql).get(),
    walBytes: () => statSync(`${path}-wal`).size,
    read: () => openForReading(path),
    store: (blob: string): string => {
      const file = blobPath(blobs, blob);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "x".repeat(BLOB_BYTES));
      return file;
    },
    [Symbol.asyncDispose]: async () => {
      db.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

const naming = (blob: string): AnyFact => ({ type: "x.note@1", data: { turnId: null, payload: { blob } } });
const said = (reply: WriteReply): string => ("refused" in reply ? reply.refused : `ok ${reply.ok.length}`);

proves("LOG-10", "erased bytes that a reader holds are told, and removed from the file when it is gone", async () => {
  await using at = await upkeepHere(note("secret"));
  at.write({ parts: [at.first] });
  const reader = at.read();
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM events").get();
  const erase = { stream: at.stream, events: [{ id: at.first.events[1]?.id ?? "", blobs: [] }], rows: [] };
  expect(at.write({ scrub: true, erase })).toEqual({ ok: [], unscrubbed: "overloaded" });
  at.writer.scrubIfDue();
  expect(at.walBytes()).toBeGreaterThan(0);
  reader.close();
  at.writer.scrubIfDue();
  expect(at.walBytes()).toBe(0);
  at.write({ parts: [at.part(note(1))] });
  at.writer.scrubIfDue();
  expect(at.walBytes()).toBeGreaterThan(0);
  expect(at.write({ scrub: true })).toEqual({ ok: [], unscrubbed: null });
  expect(at.walBytes()).toBe(0);
});

proves(
  "LOG-10",
  "blobs that were doomed before a crash are removed by the next start, or by its first idle moment",
  async () => {
    await using at = await upkeepHere(naming(BLOB));
    const [named, unnamed, never] = [BLOB, "cd".repeat(32), `cd${"ef".repeat(31)}`];
    const [namedFile, unnamedFile] = [at.store(named), at.store(unnamed)];
    at.write({ parts: [at.first] });
    for (const blob of [named, unnamed, never]) at.db.prepare("INSERT INTO doomed_blobs VALUES (?)").run(blob);
    at.db.exec("BEGIN IMMEDIATE");
    const next = at.open();
    at.db.exec("ROLLBACK");
    const doomed = () => at.one("SELECT count(*) AS n FROM doomed_blobs");
    expect(doomed()).toEqual({ n: 3 });
    next.writer.scrubIfDue();
    next.db.close();
    expect([existsSync(namedFile), existsSync(unnamedFile), doomed()]).toEqual([true, false, { n: 0 }]);
    // A removal that fails for another reason is not passed over.
    mkdirSync(unnamedFile);
    at.db.prepare("INSERT INTO doomed_blobs VALUES (?)").run(unnamed);
    expect(at.open).toThrow(expect.objectContaining({ code: "store_failed" }));
  },
);

proves("LOG-10", "a sweep removes the blobs that no event names, and only those", async () => {
  await using at = await upkeepHere(naming(BLOB));
  const other = "cd".repeat(32);
  const [namedFile, otherFile] = [at.store(BLOB), at.store(other)];
  at.write({ parts: [at.first] });
  const replies = at.writer.commit([
    { ...NOTHING, fence: 0, scrub: true, sweep: [BLOB, other] },
    { ...NOTHING, fence: 0 },
    { ...NOTHING, fence: 3 },
  ]);
  const stale = { refused: "stale_fence", details: { fence: 3, current: 0 } };
  expect(replies).toEqual([{ ok: [], unscrubbed: null }, { ok: [], unscrubbed: null }, stale]);
  expect([existsSync(namedFile), existsSync(otherFile), at.walBytes()]).toEqual([true, false, 0]);
  expect(at.write({ parts: [at.part(naming(other))] })).toEqual({ refused: "blob_missing", details: { blob: other } });
});

proves("LOG-14", "a batch that finds the disk full leaves nothing, and later work goes on without a gap", async () => {
  await using at = await upkeepHere();
  at.write({ parts: [at.first] });
  const small = at.part(note(1));
  const { stream: _, ...large } = at.part(note("x".repeat(400_000)));
  const bound = (pages: number) => at.db.exec(`PRAGMA max_page_count=${pages}`);
  const pages = Number(at.one("PRAGMA page_count")?.["page_count"]);
  bound(pages + 20);
  const other = { ...large, stream: sessionStream(newId()), expectedVersion: 0 };
  const requests = [small, { ...other, account: other.stream }].map((part) => ({
    ...NOTHING,
    fence: 0,
    parts: [part],
  }));
  expect(() => at.writer.commit(requests)).toThrow(expect.objectContaining({ code: "disk_full" }));
  expect(at.one("SELECT count(*) AS n, max(seq) AS last FROM events")).toEqual({ n: 1, last: 1 });
  const twice = { ...small, stream: sessionStream(newId()), expectedVersion: 0, events: at.first.events };
  const replies = at.writer.commit([{ ...NOTHING, fence: 0, parts: [twice] }, ...requests]);
  expect(replies.map(said)).toEqual(["stale_version", "ok 1", "disk_full"]);
  const unknown = {
    ...at.part(note(2)),
    expectedVersion: 2,
    rows: [{ list: "nowhere", id: "", columns: [], row: "{}" }],
  };
  expect(() => at.writer.commit([twice, unknown].map((part) => ({ ...NOTHING, fence: 0, parts: [part] })))).toThrow(
    expect.objectContaining({ code: "store_failed" }),
  );
  bound(pages * 100);
  expect(at.writer.commit(requests.slice(1)).map(said)).toEqual(["ok 1"]);
  expect(at.one("SELECT count(*) AS n, max(seq) AS last FROM events")).toEqual({ n: 3, last: 3 });
  expect(usageProblems(at.db, at.blobs)).toEqual([]);
});

proves("LOG-14", "freed pages are given back to the file system, as many as asked for", async () => {
  await using at = await upkeepHere(note("x".repeat(200_000)));
  at.write({ parts: [at.first] });
  const erase = { stream: at.stream, events: [{ id: at.first.events[1]?.id ?? "", blobs: [] }], rows: [] };
  at.write({ erase });
  const free = () => Number(at.one("PRAGMA freelist_count")?.["freelist_count"]);
  const before = free();
  at.write({});
  expect([free(), before > 10]).toEqual([before, true]);
  at.write({ vacuumPages: 1 });
  expect(free()).toBe(before - 1);
  at.write({ vacuumPages: 1000 });
  expect(free()).toBe(0);
});

proves(
  "LOG-9",
  "a repair writes the rows of a stream again that has not moved, and drops its wrong snapshots",
  async () => {
    await using at = await upkeepHere();
    at.write({ parts: [{ ...at.first, snapshot: "{}" }] });
    at.write({ parts: [{ ...at.part(note(1)), snapshot: "{}" }] });
    const right = at.one("SELECT row, sum FROM sessions");
    at.db.exec("UPDATE lists SET filled = 0; UPDATE sessions SET row = 'x'");
    const repair = (version: number, put = at.first.rows) =>
      at.write({
        repair: { ...NO_REPAIR, streams: [{ stream: at.stream, version, put, wrongSnapshots: [1] }] },
      });
    const state = () => [at.one("SELECT row, sum FROM sessions"), at.one("SELECT max(filled) AS filled FROM lists")];
    const snapshots = () => at.db.prepare("SELECT version FROM snapshots ORDER BY version").all();
    repair(1, []);
    expect([snapshots().length, state()[1]]).toEqual([2, { filled: 0 }]);
    repair(1);
    expect(state()).toEqual([right, { filled: 0 }]);
    at.db.exec("UPDATE sessions SET row = 'x'");
    repair(2);
    expect(state()).toEqual([right, { filled: 1 }]);
    expect(snapshots()).toEqual([{ version: 2 }]);
  },
);

proves("LOG-9", "a repair removes extra rows and puts back lost calls and namings of blobs", async () => {
  await using at = await upkeepHere();
  at.write({ parts: [at.first] });
  const remove = at.first.rows.map(({ list, id }) => ({ list, id }));
  const calls = [{ key: "aa", request: "bb", first: 1, last: 1 }];
  at.write({ repair: { ...NO_REPAIR, remove, calls, blobs: [{ blob: BLOB, seq: 1 }] } });
  expect(at.one("SELECT count(*) AS n FROM sessions")).toEqual({ n: 0 });
  expect(at.one("SELECT hex(key) AS key, hex(request) AS request, first, last FROM calls")).toEqual({
    ...{ key: "AA", request: "BB", first: 1, last: 1 },
  });
  expect(at.one("SELECT blob, seq FROM event_blobs")).toEqual({ blob: BLOB, seq: 1 });
});

proves("LOG-9", "a repair builds indexes that disagree with their tables anew, when it is asked to", async () => {
  await using at = await upkeepHere();
  let key = "old";
  at.db.exec("PRAGMA trusted_schema=ON");
  at.db.function("shifting", { deterministic: true, varargs: true }, () => key);
  at.db.exec("CREATE INDEX shifted ON cursors(shifting(name)); INSERT INTO cursors VALUES ('f', 1, 'i')");
  const isSound = () => at.one("PRAGMA integrity_check")?.["integrity_check"] === "ok";
  expect(isSound()).toBe(true);
  key = "new";
  at.write({ repair: NO_REPAIR });
  expect(isSound()).toBe(false);
  at.write({ repair: { ...NO_REPAIR, reindex: true } });
  expect(isSound()).toBe(true);
});

proves("Q1", "every usage row that differs from the log is named, and a recount mends all of them", async () => {
  await using at = await upkeepHere(naming(BLOB));
  at.store(BLOB);
  at.write({ parts: [at.first] });
  const found = () => usageProblems(at.db, at.blobs);
  expect(found()).toEqual([]);
  const [own, blobs, forks] = [at.stream, `blobs of ${at.stream}`, `forks of ${at.stream}`];
  for (const [sql, problems] of [
    ["UPDATE usage SET bytes = bytes + 1 WHERE stream = 1", [own, forks, "home"]],
    ["UPDATE usage SET events = events + 1 WHERE stream = 1", [own, "home"]],
    ["UPDATE usage SET blob_bytes = 0 WHERE stream = 1", [blobs, forks, "home"]],
    ["UPDATE usage SET family_bytes = 0 WHERE stream = 1", [forks]],
    ["UPDATE usage SET blob_bytes = 0 WHERE stream = 0", ["home"]],
    ["UPDATE blob_sizes SET bytes = bytes + 1", [blobs, `blob ${BLOB}`]],
    ["DELETE FROM usage", [own, blobs, "home"]],
  ] as const) {
    at.db.exec(sql);
    expect([sql, found()]).toEqual([sql, problems]);
    at.write({ repair: { ...NO_REPAIR, recount: true } });
    expect([sql, found()]).toEqual([sql, []]);
  }
  at.write({ parts: [at.part(note(1))] });
  expect(found()).toEqual([]);
});

proves("Q1", "a blob that is named but not there costs nothing, and is no difference", async () => {
  await using at = await upkeepHere(naming("cd".repeat(32)), naming(BLOB));
  const file = at.store(BLOB);
  const sizes = () => at.one("SELECT blob_bytes, family_bytes - bytes AS other FROM usage WHERE stream = 1");
  const needed = at.first.events.reduce((sum, event) => sum + bytesOf(event), 0) + BLOB_BYTES;
  const within = (streamBytes: number) => ({ streamBytes, homeBytes: MUCH, overdraw: false });
  expect(at.write({ quota: within(needed - 1), parts: [at.first] })).toEqual({
    refused: "quota_exceeded",
    details: { scope: "session", used: 0, limit: needed - 1, needed },
  });
  expect(said(at.write({ quota: within(needed), parts: [at.first] }))).toBe("ok 3");
  expect(sizes()).toEqual({ blob_bytes: BLOB_BYTES, other: BLOB_BYTES });
  const again = at.part(naming(BLOB));
  const more = again.events.reduce((sum, event) => sum + bytesOf(event), 0);
  expect(said(at.write({ quota: within(needed + more), parts: [again] }))).toBe("ok 1");
  rmSync(file);
  expect(usageProblems(at.db, at.blobs)).toEqual([]);
  at.write({ repair: { ...NO_REPAIR, recount: true } });
  expect([sizes(), usageProblems(at.db, at.blobs)]).toEqual([{ blob_bytes: 0, other: 0 }, []]);
});

proves("LOG-10", "an erasure drops the stream's snapshots and the rows that it wrote", async () => {
  await using at = await upkeepHere(note("secret"));
  at.write({ parts: [{ ...at.first, snapshot: '{"secret":1}' }] });
  const count = (table: string) => at.one(`SELECT count(*) AS n FROM ${table}`)?.["n"];
  expect([count("snapshots"), count("sessions")]).toEqual([1, 1]);
  const events = [{ id: at.first.events[1]?.id ?? "", blobs: [] }];
  at.write({ erase: { stream: at.stream, events, rows: at.first.rows.map(({ list, id }) => ({ list, id })) } });
  expect([count("snapshots"), count("sessions")]).toEqual([0, 0]);
});

proves("LOG-9", "a row that another process removed is written again, also when it is the same", async () => {
  await using at = await upkeepHere();
  at.write({ parts: [at.first] });
  const other = at.open();
  other.db.exec("DELETE FROM sessions");
  other.db.close();
  at.write({ parts: [{ ...at.part(note(1)), rows: at.first.rows }] });
  expect(at.one("SELECT count(*) AS n FROM sessions")).toEqual({ n: 1 });
});

proves("LOG-5", "a stream whose last event is gone, or says another version, is not continued", async () => {
  await using at = await upkeepHere(note(1));
  at.write({ parts: [at.first] });
  const other = at.open();
  const corrupt = (version: number) => ({
    refused: "log_corrupt",
    details: { stream: at.stream, version, problem: "hash_mismatch" },
  });
  const next = at.part(note(2));
  other.db.exec("UPDATE events SET version = 7 WHERE version = 2");
  expect(at.write({ parts: [{ ...next, expectedVersion: 7 }] })).toEqual(corrupt(7));
  other.db.exec("DELETE FROM events");
  expect(at.write({ parts: [{ ...next, expectedVersion: 0 }] })).toEqual(corrupt(0));
  other.db.close();
});
