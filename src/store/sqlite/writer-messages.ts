import type { Json } from "../../kernel/index.ts";
import type { StoreErrorCode } from "../port.ts";
import type { RowWrite } from "../rows.ts";
import type { WriteEvent, WritePart, WriteReply, WriteRequest, WrittenEvent } from "../write-request.ts";

export type ToWriter =
  | { readonly kind: "batch"; readonly requests: readonly PackedRequest[] }
  | { readonly kind: "close" };
export type FromWriter =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly replies: readonly PackedReply[] }
  | { readonly kind: "fatal"; readonly code: StoreErrorCode; readonly details: { readonly [key: string]: Json } }
  | { readonly kind: "closed" };

/**
 * Requests and replies as they cross between the threads: lists instead of objects, because copying the names of
 * members, again and again, would cost more than the append itself.
 */
type PackedRequest = readonly [
  fence: number,
  parts: readonly PackedPart[],
  call: WriteRequest["call"],
  quota: readonly [streamBytes: number, homeBytes: number, overdraw: boolean, besideBytes: number] | null,
  /** Seldom: then it crosses as it is. */
  rest: Pick<WriteRequest, "erase" | "repair" | "scrub" | "sweep" | "vacuumPages" | "cursor"> | null,
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

type PackedRow = readonly [RowWrite["model"], string, string, ...(string | number | null)[]] | RowWrite;

/** Position, hash of the one before, own hash; and so on. A refusal, or what is left to scrub, crosses as it is. */
type PackedReply = readonly (string | number)[] | WriteReply;

export function packRequest({ fence, parts, call, quota, ...rest }: WriteRequest): PackedRequest {
  const isPlain =
    rest.erase === null && rest.repair === null && !rest.scrub && rest.vacuumPages === 0 && rest.cursor === null;
  const bounds =
    quota === null ? null : ([quota.streamBytes, quota.homeBytes, quota.overdraw, quota.besideBytes ?? 0] as const);
  return [fence, parts.map(packPart), call, bounds, isPlain ? null : rest];
}

export function unpackRequest([fence, parts, call, bounds, rest]: PackedRequest): WriteRequest {
  const quota =
    bounds === null
      ? null
      : { streamBytes: bounds[0], homeBytes: bounds[1], overdraw: bounds[2], besideBytes: bounds[3] };
  return { fence, parts: parts.map(unpackPart), call, quota, ...(rest ?? PLAIN) };
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

function packRow(write: RowWrite): PackedRow {
  return "row" in write ? [write.model, write.id, write.row, ...write.columns] : write;
}

function unpackRow(packed: PackedRow): RowWrite {
  if (!isList(packed)) return packed;
  const [model, id, row, ...columns] = packed;
  return { model, id, row, columns };
}

/** `Array.isArray` does not know of lists that nobody may change. */
function isList<T extends readonly unknown[]>(value: T | object): value is T {
  return Array.isArray(value);
}
