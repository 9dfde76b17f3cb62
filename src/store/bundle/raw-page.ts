import { bytes, text } from "../log/encoding.ts";
import { type RawEvent, StoreError } from "../port.ts";
import { NAMES_BLOB, namedBlobs } from "./named-blobs.ts";

/** Consecutive events, unchecked. Their bytes lie back to back: prev, header, hash, salt and data of each. */
export interface RawPage {
  readonly bytes: Buffer;
  readonly events: readonly RawLengths[];
}

/** The seq of an event, and how many bytes its parts have; null: erased. */
export type RawLengths = readonly [
  seq: number,
  prev: number,
  header: number,
  hash: number,
  salt: number | null,
  data: number | null,
];

/** A page ends when its data reaches this size. */
export const RAW_PAGE_BYTES_MAX = 8 * 1024 * 1024;

/** Events in a row that have all their data, name no blobs and erase nothing. */
export interface PlainEvents {
  readonly kind: "plain";
  readonly bytes: Buffer;
  /** Where the first event begins. */
  readonly start: number;
  readonly events: readonly RawLengths[];
}

/** An event that has to be looked at. */
export interface SpecialEvent {
  readonly kind: "special";
  readonly event: RawEvent;
}

export function* partsOf({ bytes: stored, events }: RawPage): Generator<PlainEvents | SpecialEvent> {
  const isMarked = (from?: number, to?: number): boolean =>
    MARKS.some((mark) => stored.subarray(from, to).includes(mark));
  const isMarkedPage = isMarked();
  let [run, start, at] = [0, 0, 0];
  for (const [n, lengths] of events.entries()) {
    const end = at + lengthOf(lengths);
    const isPlain = lengths[4] !== null && lengths[5] !== null && !(isMarkedPage && isMarked(at, end));
    if (!isPlain) {
      if (n > run) yield { kind: "plain", bytes: stored, start, events: events.slice(run, n) };
      yield { kind: "special", event: eventAt(stored, at, lengths) };
      [run, start] = [n + 1, end];
    }
    at = end;
  }
  if (run < events.length) yield { kind: "plain", bytes: stored, start, events: events.slice(run) };
}

/** In a header unescaped quotes only enclose members, so no text can contain this sequence. */
export const IS_ERASURE = Buffer.from('"type":"data.erased@1"');
const MARKS = [NAMES_BLOB, IS_ERASURE];

export function lengthOf([, prev, header, hash, salt, data]: RawLengths): number {
  return prev + header + hash + (salt ?? 0) + (data ?? 0);
}

export function eventAt(stored: Buffer, start: number, lengths: RawLengths): RawEvent {
  let at = start;
  const part = (length: number): Buffer => {
    at += length;
    return stored.subarray(at - length, at);
  };
  const [seq, prev, header, hash] = [lengths[0], part(lengths[1]), part(lengths[2]), part(lengths[3])];
  const salt = lengths[4] === null ? null : part(lengths[4]);
  const data = lengths[5] === null ? null : part(lengths[5]);
  return { seq, prev, header, hash, salt, data, blobs: data === null ? [] : namedBlobs(header, data) };
}

/**
 * The page that a store reads as one row: its bytes, and its lengths as JSON. Refuses one in which an event after this
 * seq, or a part of one, is missing.
 */
export function pageIn(row: Readonly<Record<string, unknown>> | undefined, after: number): RawPage {
  const missing = (seq: number) => new StoreError("log_corrupt", { seq, problem: "missing" });
  const events = JSON.parse(text(row?.["events"] ?? "[]")) as readonly RawLengths[];
  for (const [n, [seq]] of events.entries()) if (seq !== after + n + 1) throw missing(after + n + 1);
  const { buffer, byteOffset, byteLength } = bytes(row?.["bytes"] ?? new Uint8Array());
  if (events.reduce((sum, one) => sum + lengthOf(one), 0) !== byteLength) throw missing(after + 1);
  return { bytes: Buffer.from(buffer, byteOffset, byteLength), events };
}
