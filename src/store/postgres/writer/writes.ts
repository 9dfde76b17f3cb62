import { crc32 } from "node:zlib";
import type { List } from "../../../kernel/index.ts";
import type { CursorWrite, Repair } from "../../log/write-request.ts";
import type { RowWrite } from "../../models/rows.ts";
import type { WrittenRows } from "../../models/written-rows.ts";
import { StoreError } from "../../port.ts";
import { bigintArray, byteaArray, namesArray, uuidArray } from "../connection/arrays.ts";
import type { Connection, Given, Row } from "../connection/connection.ts";
import { changeRows, type Put, removeRows } from "../tables/rows.ts";
import { RECOUNT } from "../tables/schema.ts";
import type { EventInsert, MarkedHead, Plan } from "./plan.ts";
import { dropFromUsage, measureErased, putBrought, putUsage } from "./usage.ts";

/** All lists by name. */
export type Lists = ReadonlyMap<string, List>;

/**
 * Writes a plan inside the transaction: deletions first, then all inserts in one statement. Returns the head's new mark;
 * null when the head did not move.
 */
export async function writePlan(
  connection: Connection,
  plan: Plan,
  channel: string,
  lists: Lists,
  written: Pick<WrittenRows, "latest">,
): Promise<string | null> {
  const erased = plan.erasure === null ? null : await measureErased(connection, plan.erasure);
  if (plan.erasure !== null) await erase(connection, plan.erasure, lists);
  if (plan.repair !== null) await repair(connection, plan, lists, written);
  for (const cursor of plan.cursors) await writeCursor(connection, cursor);
  const isMoved = plan.events.length > 0;
  const moved = await writeTogether(connection, [
    ...insertsOf(plan, lists),
    ...(isMoved ? [moveHead(plan, channel)] : []),
  ]);
  if (erased !== null) await dropFromUsage(connection, erased);
  return isMoved ? String(moved[0]?.["mark"]) : null;
}

/**
 * Writes the plan of an append in one statement, which is its own transaction. Fails with `hasMoved` when the head
 * is no longer there with this mark. Returns its new mark.
 */
export async function writeAtOnce(
  { query }: Connection,
  plan: Plan,
  from: MarkedHead,
  channel: string,
  lists: Lists,
): Promise<string> {
  const given: Given[] = [];
  const param = (value: Given) => `$${given.push(value)}`;
  const moved = moveHead(plan, channel, from)(param);
  const parts = insertsOf(plan, lists).map((put, at) => `, w${at} AS (${put(param)})`);
  const last = "SELECT 1 / count(*) AS done, min(mark) AS mark FROM moved";
  const [done] = await query(`WITH moved AS (${moved})${parts.join("")} ${last}`, ...given);
  return String(done?.["mark"]);
}

/** Nothing was written: the head had moved, so no row of it was counted. */
export function hasMoved(error: StoreError): boolean {
  return error.details["sqlstate"] === DIVISION_BY_ZERO;
}

const DIVISION_BY_ZERO = "22012";

function insertsOf(plan: Plan, lists: Lists): readonly Put[] {
  return [
    ...unlessEmpty(plan.newStreams, putStreams),
    ...unlessEmpty(plan.events, putEvents),
    ...unlessEmpty(
      plan.events.filter(({ event }) => event.blobs.length > 0),
      putEventBlobs,
    ),
    ...unlessEmpty(plan.brought, putBrought),
    ...(plan.events.length > 0 ? [putUsage(plan)] : []),
    ...unlessEmpty(plan.calls, putCalls),
    ...unlessEmpty(plan.snapshots, putSnapshots),
    ...changesOf(plan.rows, lists),
  ];
}

/** Combines the statements into one message: all but the last become CTEs of the last. */
async function writeTogether({ query }: Connection, puts: readonly Put[]): Promise<readonly Row[]> {
  const given: Given[] = [];
  const texts = puts.map((put) => put((value) => `$${given.push(value)}`));
  const last = texts.pop();
  if (last === undefined) return [];
  const parts = texts.map((text, at) => `w${at} AS (${text})`);
  return query(parts.length === 0 ? last : `WITH ${parts.join(", ")} ${last}`, ...given);
}

function changesOf(rows: readonly RowWrite[], lists: Lists): readonly Put[] {
  const byList = Map.groupBy(rows, ({ list }) => list);
  return [...byList].flatMap(([name, writes]) => changeRows(listOf(lists, name), writes));
}

function listOf(lists: Lists, name: string): List {
  const list = lists.get(name);
  if (list === undefined) throw new StoreError("store_failed", { reason: `there is no list of ${name}` });
  return list;
}

function unlessEmpty<T>(list: readonly T[], put: (list: readonly T[]) => Put): readonly Put[] {
  return list.length === 0 ? [] : [put(list)];
}

const putStreams =
  (streams: Plan["newStreams"]): Put =>
  (param) =>
    `INSERT INTO streams(no, name) SELECT * FROM unnest(${param(bigintArray(streams.map(({ no }) => no)))}::bigint[],
     ${param(namesArray(streams.map(({ name }) => name)))}::bytea[])`;

const putEvents =
  (events: readonly EventInsert[]): Put =>
  (param) => {
    const numbers = (pick: (event: EventInsert) => number) => `${param(bigintArray(events.map(pick)))}::bigint[]`;
    const bytes = (pick: (event: EventInsert) => Uint8Array) => `${param(byteaArray(events.map(pick)))}::bytea[]`;
    return `INSERT INTO events(seq, stream, version, id, type, prev, header, hash, salt, data)
      SELECT * FROM unnest(
        ${numbers(({ seq }) => seq)}, ${numbers(({ stream }) => stream)}, ${numbers(({ version }) => version)},
        ${param(uuidArray(events.map(({ event }) => event.id)))}::uuid[],
        ${bytes(({ event }) => Buffer.from(event.type))}, ${bytes(({ prev }) => prev)},
        ${bytes(({ event }) => Buffer.from(event.header))}, ${bytes(({ hash }) => hash)},
        ${bytes(({ event }) => Buffer.from(event.salt, "hex"))}, ${bytes(({ event }) => Buffer.from(event.data))})`;
  };

const putEventBlobs =
  (events: readonly EventInsert[]): Put =>
  (param) => {
    const named = events.flatMap(({ seq, event }) => event.blobs.map((blob) => ({ blob, seq })));
    return putNames(named, param);
  };

function putNames(
  named: readonly { readonly blob: string; readonly seq: number }[],
  param: (value: Given) => string,
): string {
  const blobs = byteaArray(named.map(({ blob }) => Buffer.from(blob, "hex")));
  return `INSERT INTO event_blobs(blob, seq) SELECT * FROM unnest(${param(blobs)}::bytea[],
    ${param(bigintArray(named.map(({ seq }) => seq)))}::bigint[]) ON CONFLICT DO NOTHING`;
}

const putCalls =
  (calls: Plan["calls"], onConflict = ""): Put =>
  (param) => {
    const hex = (pick: (call: Plan["calls"][number]) => string) =>
      `${param(byteaArray(calls.map((call) => Buffer.from(pick(call), "hex"))))}::bytea[]`;
    const numbers = (pick: (call: Plan["calls"][number]) => number) =>
      `${param(bigintArray(calls.map(pick)))}::bigint[]`;
    return `INSERT INTO calls(key, request, first, last) SELECT * FROM unnest(${hex(({ key }) => key)},
      ${hex(({ request }) => request)}, ${numbers(({ first }) => first)}, ${numbers(({ last }) => last)}) ${onConflict}`;
  };

const putSnapshots =
  (snapshots: Plan["snapshots"]): Put =>
  (param) => {
    const states = snapshots.map(({ state }) => Buffer.from(state));
    return `INSERT INTO snapshots(stream, version, state, sum) SELECT * FROM unnest(
        ${param(bigintArray(snapshots.map(({ stream }) => stream)))}::bigint[],
        ${param(bigintArray(snapshots.map(({ version }) => version)))}::bigint[],
        ${param(byteaArray(states))}::bytea[], ${param(bigintArray(states.map((state) => crc32(state))))}::bigint[])
      ON CONFLICT (stream, version) DO UPDATE SET state = excluded.state, sum = excluded.sum`;
  };

/**
 * The notification is delivered with the commit, never before. The mark is the transaction that changed the head last;
 * with `from`, the head must still be there, unchanged.
 */
const moveHead =
  ({ head }: Plan, channel: string, from: MarkedHead | null = null): Put =>
  (param) =>
    `UPDATE head SET seq = ${param(head.seq)}::bigint, streams = ${param(head.streams)}::bigint, fence = ${param(head.fence)}::bigint
     ${from === null ? "" : `WHERE seq = ${param(from.head.seq)}::bigint AND xmin::text = ${param(from.mark)}::text`}
     RETURNING pg_current_xact_id()::xid::text AS mark, pg_notify(${param(channel)}::text, ${param(String(head.seq))}::text)`;

async function erase(connection: Connection, erasure: NonNullable<Plan["erasure"]>, lists: Lists): Promise<void> {
  const { query } = connection;
  const seqs = bigintArray(erasure.seqs);
  const blobs = byteaArray(erasure.events.flatMap((event) => event.blobs.map((blob) => Buffer.from(blob, "hex"))));
  // Waits for an indexer that has already read the words, so that its output is deleted too.
  await query("SELECT seq FROM search_cursor FOR UPDATE");
  await query("UPDATE events SET data = NULL, salt = NULL WHERE seq = ANY($1::bigint[])", seqs);
  await query("DELETE FROM event_blobs WHERE seq = ANY($1::bigint[])", seqs);
  await query(
    `WITH unused AS (SELECT DISTINCT u.blob FROM unnest($1::bytea[]) AS u(blob)
       WHERE NOT EXISTS (SELECT 1 FROM event_blobs e WHERE e.blob = u.blob)),
     noted AS (INSERT INTO gone_blobs(blob) SELECT blob FROM unused ON CONFLICT DO NOTHING)
     DELETE FROM blobs WHERE blob IN (SELECT blob FROM unused)`,
    blobs,
  );
  await query(
    "DELETE FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = $1)",
    Buffer.from(erasure.stream),
  );
  await query("DELETE FROM search_docs WHERE seq = ANY($1::bigint[])", seqs);
  for (const { list, id } of erasure.rows) await writeTogether(connection, [removeRows(listOf(lists, list), [id])]);
}

/** A batch rarely has more than one. */
async function writeCursor({ query }: Connection, { name, at }: CursorWrite): Promise<void> {
  if (at === null) await query("DELETE FROM cursors WHERE name = $1", name);
  else
    await query(
      `INSERT INTO cursors(name, seq, id) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, id = excluded.id`,
      ...[name, at.seq, at.id],
    );
}

/** Rewrites derived data. Changes no events. */
async function repair(
  connection: Connection,
  { repair, versions }: Plan,
  lists: Lists,
  written: Pick<WrittenRows, "latest">,
): Promise<void> {
  if (repair === null) return;
  const { query } = connection;
  for (const { list, id } of repair.remove) await writeTogether(connection, [removeRows(listOf(lists, list), [id])]);
  const isStill = ({ stream, version }: Repair["streams"][number]) => versions(stream) === version;
  // A stream that has changed since the comparison has newer rows, but a damaged row may have seemed unchanged.
  for (const { put } of repair.streams.filter((found) => !isStill(found)))
    for (const row of put.flatMap((old) => written.latest(old) ?? []))
      await writeTogether(connection, changesOf([row], lists));
  const still = repair.streams.filter(isStill);
  for (const { stream, put, wrongSnapshots } of still) {
    for (const row of put) await writeTogether(connection, changesOf([row], lists));
    await query(
      "DELETE FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = $1) AND version = ANY($2::bigint[])",
      Buffer.from(stream),
      bigintArray(wrongSnapshots),
    );
  }
  const anew =
    "ON CONFLICT (key) DO UPDATE SET request = excluded.request, first = excluded.first, last = excluded.last";
  await writeTogether(
    connection,
    unlessEmpty(repair.calls, (calls) => putCalls(calls, anew)),
  );
  await writeTogether(
    connection,
    unlessEmpty(repair.blobs, (named) => (param) => putNames(named, param)),
  );
  if (repair.recount) await connection.script(RECOUNT.join(";\n"));
  if (still.length === repair.streams.length) await query("UPDATE lists SET filled = 1");
}
