import type { Json } from "../../../kernel/index.ts";
import type { WriteEvent, WritePart, WriteReply, WriteRequest, WrittenEvent } from "../../log/write-request.ts";
import type { RowWrite } from "../../models/rows.ts";
import type { Quota, StoreErrorCode } from "../../port.ts";

export interface WriterOptions {
  readonly path: string;
  readonly blobFolder: string;
  /** A module with other aggregates than the built-in ones. */
  readonly definitions: string | null;
  /** A checkpoint of the write-ahead log is due at this many pages. */
  readonly checkpointPages: number;
}

export type ToWriter =
  | { readonly kind: "open"; readonly options: WriterOptions }
  | { readonly kind: "batch"; readonly requests: readonly PackedRequest[] }
  | { readonly kind: "close" };
export type FromWriter =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly replies: readonly PackedReply[] }
  | { readonly kind: "fatal"; readonly code: StoreErrorCode; readonly details: { readonly [key: string]: Json } }
  | { readonly kind: "closed" };

/**
 * Requests and replies as they cross between threads: arrays instead of objects, because copying member names would
 * cost more than the append.
 */
type PackedRequest = readonly [
  fence: number,
  parts: readonly PackedPart[],
  call: WriteRequest["call"],
  quota: PackedQuota | null,
  /** Rare, so not packed. */
  expect: WriteRequest["expect"] | null,
  rest: Pick<WriteRequest, "erase" | "repair" | "scrub" | "sweep" | "vacuumPages" | "cursor"> | null,
];

type PackedQuota = readonly [
  streamBytes: number,
  homeBytes: number,
  overdraw: boolean,
  besideBytes: number,
  fitting: number,
];

type PackedPart = readonly [
  stream: string,
  expectedVersion: number,
  continues: WritePart["continues"],
  /** Null when it is the stream itself. */
  account: string | null,
  events: readonly PackedEvent[],
  rows: readonly PackedRow[],
  snapshot: string | null,
];

type PackedEvent = readonly [
  id: string,
  type: string,
  header: string,
  salt: string,
  data: string,
  blobs: readonly string[] | null,
  takesFence: number | null,
];

type PackedRow = readonly [list: string, id: string, row: string | null, ...(string | number | null)[]];

/** For each event: seq, previous hash, own hash. Refusals and incomplete scrubs are sent unpacked. */
type PackedReply = readonly (string | number)[] | WriteReply;

export function packRequest({ fence, parts, call, quota, expect, ...rest }: WriteRequest): PackedRequest {
  const isPlain =
    rest.erase === null &&
    rest.repair === null &&
    !rest.scrub &&
    rest.sweep.length === 0 &&
    rest.vacuumPages === 0 &&
    rest.cursor === null;
  const bounds = quota === null ? null : packQuota(quota);
  return [fence, parts.map(packPart), call, bounds, expect.length === 0 ? null : expect, isPlain ? null : rest];
}

export function unpackRequest([fence, parts, call, bounds, expect, rest]: PackedRequest): WriteRequest {
  const quota = bounds === null ? null : unpackQuota(bounds);
  return { fence, parts: parts.map(unpackPart), call, quota, expect: expect ?? [], ...(rest ?? PLAIN) };
}

export function packReply(reply: WriteReply): PackedReply {
  if (!("ok" in reply) || reply.unscrubbed !== null) return reply;
  return reply.ok.flatMap(({ seq, prev, hash }) => [seq, prev, hash]);
}

export function unpackReply(reply: PackedReply): WriteReply {
  if (!isList(reply)) return reply;
  const ok: WrittenEvent[] = [];
  for (let at = 0; at < reply.length; at += 3)
    ok.push({ seq: Number(reply[at]), prev: String(reply[at + 1]), hash: String(reply[at + 2]) });
  return { ok, unscrubbed: null };
}

const PLAIN = { erase: null, repair: null, scrub: false, sweep: [], vacuumPages: 0, cursor: null };

function packQuota({ streamBytes, homeBytes, overdraw, besideBytes = 0, fitting = 0 }: Quota): PackedQuota {
  return [streamBytes, homeBytes, overdraw, besideBytes, fitting];
}

function unpackQuota([streamBytes, homeBytes, overdraw, besideBytes, fitting]: PackedQuota): Quota {
  return { streamBytes, homeBytes, overdraw, besideBytes, fitting };
}

function packPart({ stream, expectedVersion, continues, account, events, rows, snapshot }: WritePart): PackedPart {
  const other = account === stream ? null : account;
  return [stream, expectedVersion, continues, other, events.map(packEvent), rows.map(packRow), snapshot];
}

function unpackPart([stream, expectedVersion, continues, other, events, rows, snapshot]: PackedPart): WritePart {
  const account = other ?? stream;
  return {
    stream,
    expectedVersion,
    continues,
    account,
    events: events.map(unpackEvent),
    rows: rows.map(unpackRow),
    snapshot,
  };
}

function packEvent({ id, type, header, salt, data, blobs, takesFence }: WriteEvent): PackedEvent {
  return [id, type, header, salt, data, blobs.length === 0 ? null : blobs, takesFence];
}

function unpackEvent([id, type, header, salt, data, blobs, takesFence]: PackedEvent): WriteEvent {
  return { id, type, header, salt, data, blobs: blobs ?? [], takesFence };
}

function packRow({ list, id, row, columns }: RowWrite): PackedRow {
  return [list, id, row, ...columns];
}

function unpackRow([list, id, row, ...columns]: PackedRow): RowWrite {
  return { list, id, row, columns };
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList<T extends readonly unknown[]>(value: T | object): value is T {
  return Array.isArray(value);
}
