import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import { makeTestHome, newId, note, opened } from "../../../../test/support/store-home.ts";
import { acquireLease, System } from "../../../domains/index.ts";
import { type AnyFact, sessionStream, streamOf } from "../../../kernel/index.ts";
import { HOUSE } from "../../definitions.ts";
import { blobPath } from "../../files/blobs.ts";
import { bytes, hexOf } from "../../log/encoding.ts";
import { createSalts, prepare } from "../../log/prepare-append.ts";
import { NOTHING, type WritePart, type WriteReply, type WriteRequest } from "../../log/write-request.ts";
import { ensureLists } from "../tables/lists.ts";
import { openForWriting } from "../tables/schema.ts";
import { createWriter } from "./writer.ts";

const SYSTEM = streamOf(System, "");
const MUCH = 1_000_000;

/** The writer without its thread, on a log of its own. */
async function writerHere() {
  const home = await makeTestHome();
  const path = join(home.path, "log.db");
  const open = () => {
    const db = openForWriting(path);
    ensureLists(db, HOUSE.lists);
    return { db, writer: createWriter(db, join(home.path, "blobs"), HOUSE.lists) };
  };
  const first = open();
  const newSalt = createSalts();
  const folds = new Map<string, ReturnType<typeof HOUSE.empty>>();
  /** Facts as a part of a request. They are folded on what was prepared before, whether it is written or not. */
  const part = (stream: string, expectedVersion: number, ...facts: readonly AnyFact[]): WritePart => {
    const events = facts.map((fact) => ({
      id: newId(),
      at: "2026-01-01T00:00:00.000Z",
      actor: "test",
      cause: null,
      fact,
    }));
    const before = expectedVersion === 0 ? HOUSE.empty(stream) : (folds.get(stream) ?? HOUSE.empty(stream));
    const { write, after } = prepare(HOUSE, { stream, expectedVersion, events }, before, null, newSalt);
    folds.set(stream, after);
    return write;
  };
  const write = (more: Partial<WriteRequest>, by = first.writer): WriteReply =>
    by.commit([{ ...NOTHING, fence: 0, ...more }])[0] ?? expect.fail("no reply");
  const close = async () => {
    first.db.close();
    await home[Symbol.asyncDispose]();
  };
  return { ...first, blobs: join(home.path, "blobs"), open, part, write, [Symbol.asyncDispose]: close };
}

const said = (reply: WriteReply): string => ("refused" in reply ? reply.refused : `ok ${reply.ok.length}`);
const leaseFact = (fence: number): AnyFact => {
  const held = { at: "free", version: 0, lastFence: fence - 1 } as const;
  const decision = acquireLease(held, { resource: "home", holder: "test", deadHolder: true });
  return ("refused" in decision ? undefined : decision[0]) ?? expect.fail("it is free");
};

proves("LOG-3", "only the current fence writes; a lease raises it, and an equal or lower one is refused", async () => {
  await using at = await writerHere();
  const stream = sessionStream(newId());
  expect(said(at.write({ parts: [at.part(stream, 0, opened())] }))).toBe("ok 1");
  expect(said(at.write({ fence: 5, parts: [at.part(SYSTEM, 0, leaseFact(5))] }))).toBe("ok 1");
  const stale = at.write({ parts: [at.part(stream, 1, note(1))] });
  expect(stale).toEqual({ refused: "stale_fence", details: { fence: 0, current: 5 } });
  expect(said(at.write({ fence: 6, parts: [at.part(stream, 1, note(1))] }))).toBe("stale_fence");
  for (const [fence, asked] of [
    [5, 5],
    [4, 4],
    [6, 7],
  ] as const)
    expect([fence, said(at.write({ fence: asked, parts: [at.part(SYSTEM, 1, leaseFact(fence))] }))]).toEqual([
      fence,
      "stale_fence",
    ]);
  expect(said(at.write({ fence: 5, parts: [at.part(stream, 1, note(1))] }))).toBe("ok 1");
  const other = at.open();
  expect(said(at.write({ fence: 0, parts: [at.part(stream, 2, note(2))] }, other.writer))).toBe("stale_fence");
  expect(said(at.write({ fence: 6, parts: [at.part(SYSTEM, 1, leaseFact(6))] }, other.writer))).toBe("ok 1");
  expect(said(at.write({ fence: 5, parts: [at.part(stream, 2, note(2))] }))).toBe("stale_fence");
  other.db.close();
});

proves(
  "LOG-2",
  "a part is written only at the version it expects, and with the streams that it relies on",
  async () => {
    await using at = await writerHere();
    const [one, two] = [sessionStream(newId()), sessionStream(newId())];
    expect(said(at.write({ parts: [at.part(one, 0, opened())] }))).toBe("ok 1");
    expect(at.write({ parts: [at.part(one, 0, opened())] })).toEqual({
      refused: "stale_version",
      details: { stream: one, expected: 0, found: 1 },
    });
    expect(said(at.write({ parts: [at.part(two, 0, opened()), at.part(one, 5, note(1))] }))).toBe("stale_version");
    expect(said(at.write({ expect: [{ stream: one, version: 0 }], parts: [at.part(two, 0, opened())] }))).toBe(
      "stale_version",
    );
    const relied = [one, sessionStream(newId())].map((stream, at) => ({ stream, version: 1 - at }));
    expect(said(at.write({ expect: relied, parts: [at.part(two, 0, opened())] }))).toBe("ok 1");
    expect(said(at.write({ parts: [at.part(one, 1, note(1)), at.part(two, 1, note(1), note(2))] }))).toBe("ok 3");
  },
);

proves("LOG-4", "a call's key is used up by its first append; another request with it is refused", async () => {
  await using at = await writerHere();
  const stream = sessionStream(newId());
  const call = { key: "aa".repeat(32), request: "bb".repeat(32) };
  expect(said(at.write({ fence: 9, call, parts: [at.part(stream, 0, opened())] }))).toBe("stale_fence");
  expect(said(at.write({ call }))).toBe("ok 0");
  expect(said(at.write({ call, parts: [at.part(stream, 0, opened(), note(0))] }))).toBe("ok 2");
  expect(at.db.prepare("SELECT first, last FROM calls").all()).toEqual([{ first: 1, last: 2 }]);
  expect(at.write({ call, parts: [at.part(stream, 2, note(1))] })).toMatchObject({
    refused: "stale_version",
    details: { reason: "this call has already run" },
  });
  const other = { ...call, request: "cc".repeat(32) };
  expect(said(at.write({ call: other, parts: [at.part(stream, 2, note(1))] }))).toBe("idempotency_key_reused");
  expect(said(at.write({ call: { ...call, key: "dd".repeat(32) }, parts: [at.part(stream, 2, note(1))] }))).toBe(
    "ok 1",
  );
});

proves("LOG-5", "seq and versions have no gap, and each event is linked to the one before", async () => {
  await using at = await writerHere();
  const [one, two] = [sessionStream(newId()), sessionStream(newId())];
  const replies = at.writer.commit([
    { ...NOTHING, fence: 0, parts: [at.part(one, 0, opened(), note(1))] },
    { ...NOTHING, fence: 3, parts: [at.part(two, 0, opened())] },
    { ...NOTHING, fence: 0, parts: [at.part(two, 0, opened()), at.part(one, 2, note(2))] },
  ]);
  expect(replies.map(said)).toEqual(["ok 2", "stale_fence", "ok 2"]);
  const rows = at.db
    .prepare(
      "SELECT e.seq, s.name, e.version, e.prev, e.hash FROM events e JOIN streams s ON s.no = e.stream ORDER BY seq",
    )
    .all();
  expect(rows.map(({ seq, name, version }) => [seq, name, version])).toEqual([
    [1, one, 1],
    [2, one, 2],
    [3, two, 1],
    [4, one, 3],
  ]);
  const link = (n: number, of: "prev" | "hash"): string => hexOf(bytes(rows[n]?.[of]));
  expect([link(0, "prev"), link(1, "prev"), link(2, "prev"), link(3, "prev")]).toEqual([
    "00".repeat(32),
    link(0, "hash"),
    "00".repeat(32),
    link(1, "hash"),
  ]);
  const answered = replies.flatMap((reply) => ("ok" in reply ? reply.ok : []));
  expect(answered.map(({ seq, hash }) => [seq, hash])).toEqual([0, 1, 2, 3].map((n) => [n + 1, link(n, "hash")]));
});

proves("LOG-2", "an event that is there already fails alone; the others of its batch are written", async () => {
  await using at = await writerHere();
  const [one, two] = [sessionStream(newId()), sessionStream(newId())];
  const first = at.part(one, 0, opened());
  at.write({ parts: [first] });
  const twice = { ...at.part(two, 0, opened()), events: first.events };
  const replies = at.writer.commit([
    { ...NOTHING, fence: 0, parts: [at.part(one, 1, note(1))] },
    { ...NOTHING, fence: 0, parts: [twice] },
    { ...NOTHING, fence: 0, parts: [at.part(one, 2, note(2))] },
  ]);
  expect(replies.map(said)).toEqual(["ok 1", "stale_version", "ok 1"]);
  expect(at.db.prepare("SELECT count(*) AS n FROM events").get()).toEqual({ n: 3 });
});

proves(
  "Q1",
  "bytes are counted for the stream and the log, and a quota counts what is there and what comes",
  async () => {
    await using at = await writerHere();
    const stream = sessionStream(newId());
    const sizeOf = ({ events }: WritePart): number =>
      events.reduce((sum, { header, data }) => sum + Buffer.byteLength(header) + Buffer.byteLength(data), 0);
    const first = at.part(stream, 0, opened());
    at.write({ parts: [first] });
    const second = at.part(stream, 1, note("x".repeat(100)));
    const needed = sizeOf(first) + sizeOf(second);
    const quota = (streamBytes: number, homeBytes: number) => ({ streamBytes, homeBytes, overdraw: false });
    expect(at.write({ quota: quota(needed - 1, MUCH), parts: [second] })).toEqual({
      refused: "quota_exceeded",
      details: { scope: "session", used: sizeOf(first), limit: needed - 1, needed: sizeOf(second) },
    });
    expect(at.write({ quota: quota(MUCH, needed - 1), parts: [second] })).toMatchObject({
      refused: "quota_exceeded",
      details: { scope: "home", used: sizeOf(first) },
    });
    expect(said(at.write({ quota: quota(needed, needed), parts: [second] }))).toBe("ok 1");
    const third = at.part(stream, 2, note(1));
    expect(said(at.write({ quota: { ...quota(needed, MUCH), overdraw: true }, parts: [third] }))).toBe(
      "quota_exceeded",
    );
    expect(said(at.write({ quota: { ...quota(needed + 1, MUCH), overdraw: true }, parts: [third] }))).toBe("ok 1");
    const used = at.db.prepare("SELECT events, bytes FROM usage ORDER BY stream").all();
    expect(used).toEqual([
      { events: 3, bytes: needed + sizeOf(third) },
      { events: 3, bytes: needed + sizeOf(third) },
    ]);
  },
);

proves("LOG-10", "an erased event keeps its place; its data, salt and size go, also from what is counted", async () => {
  await using at = await writerHere();
  const stream = sessionStream(newId());
  const parts = at.part(stream, 0, opened(), note("secret"));
  at.write({ parts: [parts] });
  const [, event] = parts.events;
  const counted = () => Number(at.db.prepare("SELECT bytes FROM usage WHERE stream = 0").get()?.["bytes"]);
  const before = counted();
  const erase = (id: string) => at.write({ scrub: true, erase: { stream, events: [{ id, blobs: [] }], rows: [] } });
  expect(said(erase(newId()))).toBe("event_not_found");
  expect(erase(event?.id ?? "")).toEqual({ ok: [], unscrubbed: null });
  expect(at.db.prepare("SELECT data, salt FROM events WHERE seq = 2").get()).toEqual({ data: null, salt: null });
  expect(counted()).toBe(before - Buffer.byteLength(event?.data ?? ""));
});

proves("FOL-6", "a follower's cursor is written with the log, and under its fence", async () => {
  await using at = await writerHere();
  const cursor = { name: "f", at: { seq: 1, id: newId() } };
  const found = () => at.db.prepare("SELECT name, seq FROM cursors").all();
  expect(said(at.write({ fence: 1, cursor }))).toBe("stale_fence");
  expect(found()).toEqual([]);
  expect(said(at.write({ cursor }))).toBe("ok 0");
  expect(found()).toEqual([{ name: "f", seq: 1 }]);
  at.write({ cursor: { name: "f", at: null } });
  expect(found()).toEqual([]);
});

proves(
  "LOG-10",
  "a blob goes with the last event that names it; until it is stored again, no event may name it",
  async () => {
    await using at = await writerHere();
    const stream = sessionStream(newId());
    const blob = "ab".repeat(32);
    const path = blobPath(at.blobs, blob);
    const store = () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "0123456789");
    };
    const naming = (): AnyFact => ({ type: "x.note@1", data: { turnId: null, payload: { blob } } });
    const used = () =>
      at.db
        .prepare("SELECT stream, blob_bytes FROM usage ORDER BY stream")
        .all()
        .map((row) => Number(row["blob_bytes"]));
    store();
    const first = at.part(stream, 0, opened(), naming(), naming());
    expect(said(at.write({ parts: [first] }))).toBe("ok 3");
    expect(used()).toEqual([10, 10]);
    const erase = (n: number) =>
      said(
        at.write({
          scrub: true,
          erase: { stream, events: [{ id: first.events[n]?.id ?? "", blobs: [blob] }], rows: [] },
        }),
      );
    expect([erase(1), existsSync(path), used()]).toEqual(["ok 0", true, [10, 10]]);
    expect([erase(2), existsSync(path), used()]).toEqual(["ok 0", false, [0, 0]]);
    const again = at.part(stream, 3, naming());
    expect(at.write({ parts: [again] })).toEqual({ refused: "blob_missing", details: { blob } });
    store();
    expect(said(at.write({ parts: [again] }))).toBe("ok 1");
    expect(said(at.write({ scrub: true, sweep: [blob] }))).toBe("ok 0");
    expect(existsSync(path)).toBe(true);
  },
);

proves("LOG-5", "a stream whose last event was changed outside is not continued; others are", async () => {
  await using at = await writerHere();
  const [bad, good] = [sessionStream(newId()), sessionStream(newId())];
  at.write({ parts: [at.part(bad, 0, opened())] });
  at.write({ parts: [at.part(good, 0, opened())] });
  const other = at.open();
  other.db.exec("UPDATE events SET header = CAST(replace(CAST(header AS TEXT), 'test', 'evil') AS BLOB) WHERE seq = 1");
  other.db.close();
  expect(at.write({ parts: [at.part(bad, 1, note(1))] })).toEqual({
    refused: "log_corrupt",
    details: { stream: bad, version: 1, problem: "hash_mismatch" },
  });
  expect(said(at.write({ parts: [at.part(good, 1, note(1))] }))).toBe("ok 1");
});

proves("LOG-5", "a fork is linked to the event that it continues, which has to be there", async () => {
  await using at = await writerHere();
  const [parent, fork] = [sessionStream(newId()), sessionStream(newId())];
  at.write({ parts: [at.part(parent, 0, opened(), note(1))] });
  const continued = (version: number) => ({ ...at.part(fork, 0, opened()), continues: { stream: parent, version } });
  expect(at.write({ parts: [continued(3)] })).toEqual({
    refused: "event_not_found",
    details: { stream: parent, version: 3 },
  });
  const reply = at.write({ parts: [continued(1)] });
  const hash = at.db.prepare("SELECT hash FROM events WHERE seq = 1").get()?.["hash"];
  expect("ok" in reply ? reply.ok[0]?.prev : null).toBe(hexOf(bytes(hash)));
});

proves("LOG-3", "what another connection wrote is seen: seq goes on after it, and its versions count", async () => {
  await using at = await writerHere();
  const stream = sessionStream(newId());
  at.write({ parts: [at.part(stream, 0, opened())] });
  const other = at.open();
  expect(said(at.write({ parts: [at.part(stream, 1, note(1))] }, other.writer))).toBe("ok 1");
  other.db.close();
  expect(at.write({ parts: [at.part(stream, 1, note(2))] })).toMatchObject({ refused: "stale_version" });
  const reply = at.write({ parts: [at.part(stream, 2, note(2))] });
  expect("ok" in reply ? reply.ok.map(({ seq }) => seq) : reply).toEqual([3]);
  const used = at.db.prepare("SELECT events FROM usage ORDER BY stream").all();
  expect(used).toEqual([{ events: 3 }, { events: 3 }]);
});
