import { HOME_LEASE, hashEvent, NO_PREV, sameBytes } from "../../../domains/index.ts";
import { bytes, hexOf, number, parseHeader } from "../../log/encoding.ts";
import { sha256 } from "../../log/sha256.ts";
import type { WriteRequest } from "../../log/write-request.ts";
import { NO_USAGE, type Taken } from "../../models/quota.ts";
import type { Recent } from "../../recent.ts";
import { bigintArray, byteaArray, namesArray, uuidArray } from "../connection/arrays.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { utf8 } from "../connection/decode.ts";
import { type Known, type LogHead, placeOf, type StreamHead } from "./plan.ts";

/** The id of our claim on the lease; null without one. */
export type ClaimId = () => string | null;

/** Reads exactly what a batch depends on. Inside the transaction, under the head's lock. */
export async function readKnown(
  { query }: Connection,
  requests: readonly WriteRequest[],
  head: LogHead,
  home: Taken,
  remembered: Pick<Recent<string, StreamHead>, "get">,
  claim: ClaimId,
): Promise<Known> {
  const parts = requests.flatMap((request) => request.parts);
  const events = parts.flatMap((part) => part.events);
  const unless = <T>(isNeedless: boolean, read: () => Promise<readonly Row[]>, take: (row: Row) => T) =>
    isNeedless ? Promise.resolve([]) : read().then((rows) => rows.map(take));

  const heads = await readHeads(query, requests, remembered);

  const keys = distinct(requests.flatMap(({ call }) => call?.key ?? []));
  const calls = await unless(
    keys.length === 0,
    () => query("SELECT key, request FROM calls WHERE key = ANY($1::bytea[])", hexArray(keys)),
    (row) => [hexOf(bytes(row["key"])), hexOf(bytes(row["request"]))] as const,
  );

  const points = parts.flatMap(({ continues }) => continues ?? []);
  const hashes = await unless(
    points.length === 0,
    () =>
      query(HASHES, namesArray(points.map(({ stream }) => stream)), bigintArray(points.map(({ version }) => version))),
    (row) => [placeOf({ stream: utf8(row["name"]), version: number(row["version"]) }), bytes(row["hash"])] as const,
  );

  const named = distinct(events.flatMap(({ blobs }) => blobs));
  const gone = await unless(
    named.length === 0,
    () => query("SELECT blob FROM gone_blobs WHERE blob = ANY($1::bytea[])", hexArray(named)),
    (row) => hexOf(bytes(row["blob"])),
  );

  const newBlobs = await unless(
    named.length === 0,
    () => query(NEW_BLOBS, hexArray(named)),
    (row) => [hexOf(bytes(row["blob"])), number(row["bytes"])] as const,
  );

  const erasable = await readErasable(query, requests);

  const takesFence = events.some((event) => event.takesFence !== null);
  const rivals = await unless(
    !takesFence,
    () => query(RIVAL, claim(), HOME_LEASE),
    (row) => String(row["holder"]),
  );
  return {
    head,
    streamHead: (stream) => remembered.get(stream) ?? heads.get(stream) ?? null,
    calls: new Map(calls),
    hashes: new Map(hashes),
    goneBlobs: new Set(gone),
    newBlobs: new Map(newBlobs),
    home,
    erasable,
    rival: rivals[0] ?? null,
  };
}

/** Heads of the streams in the requests and of their accounts, except those kept in memory. */
async function readHeads(
  query: Connection["query"],
  requests: readonly WriteRequest[],
  remembered: Pick<Recent<string, StreamHead>, "get">,
): Promise<ReadonlyMap<string, StreamHead>> {
  const heads = new Map<string, StreamHead>();
  const load = async (names: readonly string[]): Promise<void> => {
    const missing = names.filter((name) => remembered.get(name) === undefined && !heads.has(name));
    if (missing.length === 0) return;
    for (const row of await query(HEADS, namesArray(missing))) heads.set(...streamHead(row));
  };
  const streams = distinct(
    requests.flatMap(({ parts, expect, repair }) => [
      ...parts.flatMap(({ stream, account }) => [stream, account]),
      ...[...expect, ...(repair?.streams ?? [])].map(({ stream }) => stream),
    ]),
  );
  await load(streams);
  await load(distinct(streams.flatMap((stream) => (remembered.get(stream) ?? heads.get(stream))?.accountName ?? [])));
  return heads;
}

/** Positions of events that are to be erased, by id. */
async function readErasable(
  query: Connection["query"],
  requests: readonly WriteRequest[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const { stream, events } of requests.flatMap(({ erase }) => (erase === null ? [] : [erase])))
    for (const { id, seq } of await query(ERASABLE, uuidArray(events.map(({ id }) => id)), Buffer.from(stream)))
      found.set(String(id), number(seq));
  return found;
}

const HEADS = `
  SELECT s.name, s.no, e.version, e.prev, e.header, e.hash, u.events, u.bytes, u.blob_bytes, u.account, u.family_bytes, a.name AS account_name FROM streams s
  LEFT JOIN usage u ON u.stream = s.no
  LEFT JOIN streams a ON a.no = u.account
  LEFT JOIN LATERAL (SELECT version, prev, header, hash FROM events WHERE stream = s.no ORDER BY version DESC LIMIT 1) e ON true
  WHERE s.name = ANY($1::bytea[])`;
const NEW_BLOBS = `
  SELECT b.blob, octet_length(b.packed) AS bytes FROM blobs b
  WHERE b.blob = ANY($1::bytea[]) AND NOT EXISTS (SELECT 1 FROM blob_sizes z WHERE z.blob = b.blob)`;
const HASHES = `
  SELECT c.name, e.version, e.hash FROM unnest($1::bytea[], $2::bigint[]) AS c(name, version)
  JOIN streams s ON s.name = c.name JOIN events e ON e.stream = s.no AND e.version = c.version`;
const ERASABLE =
  "SELECT e.id, e.seq FROM events e JOIN streams s ON s.no = e.stream WHERE e.id = ANY($1::uuid[]) AND s.name = $2";
/** Another holder of a valid lease. Locked, so that nobody claims the lease before the fence is taken. */
const RIVAL =
  "SELECT holder FROM leases WHERE resource = $2 AND holder IS NOT NULL AND claim IS DISTINCT FROM $1::uuid AND expires_at > clock_timestamp() FOR SHARE";

function streamHead(row: Row): readonly [string, StreamHead] {
  const name = utf8(row["name"]);
  const { no, version, prev, header, hash } = row;
  const account = number(row["account"] ?? no);
  const accountName = row["account_name"] == null ? name : utf8(row["account_name"]);
  const books = { usage: usageOf(row), account, accountName, familyBytes: number(row["family_bytes"] ?? 0) };
  const unlinked = { no: Number(no), version: 0, hash: NO_PREV, isWhole: false, ...books };
  if (typeof version !== "number") return [name, unlinked];
  const text = utf8(header);
  const said = parseHeader(text);
  const isLinked = sameBytes(hashEvent(sha256, bytes(prev), text), bytes(hash));
  const isPlaced = said?.stream === name && said.version === version;
  return [name, { no: Number(no), version, hash: bytes(hash), isWhole: isLinked && isPlaced, ...books }];
}

export function usageOf(row: Row | undefined): Taken {
  if (row?.["events"] == null) return NO_USAGE;
  return { events: number(row["events"]), bytes: number(row["bytes"]), blobBytes: number(row["blob_bytes"]) };
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

function hexArray(names: readonly string[]): Buffer {
  return byteaArray(names.map((name) => Buffer.from(name, "hex")));
}
