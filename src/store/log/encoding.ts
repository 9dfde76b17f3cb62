import { type Header, hashData, hashEvent, sameBytes } from "../../domains/index.ts";
import { type Json, memberOf } from "../../kernel/index.ts";
import { type RecordedEvent, StoreError } from "../port.ts";
import { sha256 } from "./sha256.ts";

export function idBytes(id: string): Uint8Array {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

export function uuidOf(id: Uint8Array): string {
  return hexOf(id).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** One row of `events` joined with its stream's name. */
export interface EventColumns {
  readonly seq: number;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly prev: Uint8Array;
  readonly header: Uint8Array;
  readonly hash: Uint8Array;
  readonly salt: Uint8Array | null;
  readonly data: Uint8Array | null;
}

export const EVENT_COLUMNS = "e.seq, s.name AS stream, e.version, e.type, e.prev, e.header, e.hash, e.salt, e.data";
/** An outer join: an event whose stream has no name must be reported as corrupt, not left out. */
export const EVENT_SOURCE = "events e LEFT JOIN streams s ON s.no = e.stream";

/** Reads a row and checks its hash. Throws `log_corrupt` when they do not match. */
export function decodeRow(row: Record<string, unknown>): RecordedEvent {
  const columns = columnsOf(row);
  const text = Buffer.from(columns.header).toString("utf8");
  const place = { stream: columns.stream, version: columns.version, seq: columns.seq };
  if (!sameBytes(hashEvent(sha256, columns.prev, text), columns.hash))
    throw new StoreError("log_corrupt", { ...place, problem: "hash_mismatch" });
  const header = parseHeader(text);
  if (header === null || !describes(header, columns))
    throw new StoreError("log_corrupt", { ...place, problem: "header_mismatch" });
  return {
    seq: columns.seq,
    id: header.id,
    stream: header.stream,
    version: header.version,
    type: header.type,
    at: header.at,
    actor: header.actor,
    cause: header.cause,
    data: decodeData(columns, header.dataHash, place),
    hash: hexOf(columns.hash),
    prev: hexOf(columns.prev),
  };
}

/** Whether the columns agree with the header. Only the header is hashed. */
export function describes(header: Header, columns: EventColumns): boolean {
  return header.stream === columns.stream && header.version === columns.version && header.type === columns.type;
}

function decodeData(columns: EventColumns, dataHash: string, place: StoreError["details"]): Json {
  const { data, salt } = columns;
  if (data === null && salt === null) return null;
  if (data === null || salt === null || hashData(sha256, salt, data) !== dataHash)
    throw new StoreError("log_corrupt", { ...place, problem: "data_mismatch" });
  const parsed: Json = JSON.parse(Buffer.from(data).toString("utf8"));
  return parsed;
}

/** Throws `log_corrupt` for an unreadable row, with the parts of its place that can be read. */
export function columnsOf(row: Record<string, unknown>): EventColumns {
  try {
    return {
      seq: number(row["seq"]),
      stream: text(row["stream"]),
      version: number(row["version"]),
      type: text(row["type"]),
      prev: bytes(row["prev"]),
      header: bytes(row["header"]),
      hash: bytes(row["hash"]),
      salt: row["salt"] === null ? null : bytes(row["salt"]),
      data: row["data"] === null ? null : bytes(row["data"]),
    };
  } catch (cause) {
    const { seq, stream, version } = row;
    throw new StoreError(
      "log_corrupt",
      {
        stream: typeof stream === "string" ? stream : null,
        version: typeof version === "number" ? version : null,
        seq: typeof seq === "number" ? seq : null,
        problem: "columns_unreadable",
      },
      cause,
    );
  }
}

export function parseHeader(given: string): Header | null {
  const value: unknown = safeParse(given);
  const member = (key: string) => memberOf(value, key);
  const cause = member("cause");
  const header = {
    id: member("id"),
    stream: member("stream"),
    version: member("version"),
    type: member("type"),
    at: member("at"),
    actor: member("actor"),
    dataHash: member("dataHash"),
  };
  if (typeof header.id !== "string" || typeof header.stream !== "string" || typeof header.version !== "number")
    return null;
  if (typeof header.type !== "string" || typeof header.at !== "string" || typeof header.actor !== "string") return null;
  if (typeof header.dataHash !== "string" || (cause !== null && typeof cause !== "string")) return null;
  const { id, stream, version, type, at, actor, dataHash } = header;
  return { id, stream, version, type, at, actor, cause, dataHash };
}

export function number(value: unknown): number {
  if (typeof value !== "number") throw new StoreError("log_corrupt", { problem: "a column is not a number" });
  return value;
}

export function text(value: unknown): string {
  if (typeof value !== "string") throw new StoreError("log_corrupt", { problem: "a column is not text" });
  return value;
}

export function bytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new StoreError("log_corrupt", { problem: "a column is not bytes" });
  return value;
}

export function hexOf(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex");
}

function safeParse(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return null;
  }
}
