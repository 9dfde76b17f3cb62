import type { Json } from "../../kernel/index.ts";
import type { RowWrite } from "../models/rows.ts";
import type { AppendOptions, Cursor, Quota, RebuildReport, StoreErrorCode, StreamVersion } from "../port.ts";

/** A request to the writer: plain data, so prepared that the writer only links and inserts. */
export interface WriteRequest {
  readonly parts: readonly WritePart[];
  readonly fence: number;
  readonly call: { readonly key: string; readonly request: string } | null;
  readonly erase: Erasure | null;
  readonly repair: Repair | null;
  /** Also remove erased bytes from the files. */
  readonly scrub: boolean;
  /** Blobs to remove unless an event names them. */
  readonly sweep: readonly string[];
  /** How many empty pages to cut off the end of the file. */
  readonly vacuumPages: number;
  readonly quota: Quota | null;
  /** Streams that must still be at these versions. */
  readonly expect: readonly StreamVersion[];
  readonly cursor: CursorWrite | null;
}

/** A follower's new cursor; null deletes it. */
export interface CursorWrite {
  readonly name: string;
  readonly at: Cursor | null;
}

/** An empty request, to be extended. */
export const NOTHING = {
  parts: [],
  call: null,
  erase: null,
  repair: null,
  scrub: false,
  sweep: [],
  vacuumPages: 0,
  quota: null,
  expect: [],
  cursor: null,
} as const;

/** The conditions under which a request is written. */
export function conditionsOf(given: AppendOptions): Pick<WriteRequest, "fence" | "call" | "quota" | "expect"> {
  return { fence: given.fence, call: callOf(given), quota: given.quota ?? null, expect: given.expect ?? [] };
}

/** The first expectation that does not hold; null when all hold. */
export function checkExpected(
  expected: readonly StreamVersion[],
  versionOf: (stream: string) => number,
): WriteReply | null {
  const moved = expected.find(({ stream, version }) => versionOf(stream) !== version);
  if (moved === undefined) return null;
  const { stream, version } = moved;
  return { refused: "stale_version", details: { stream, expected: version, found: versionOf(stream) } };
}

function callOf({ call }: AppendOptions): WriteRequest["call"] {
  return call == null ? null : { key: call.keyHash, request: call.requestHash };
}

export interface WritePart {
  readonly stream: string;
  readonly expectedVersion: number;
  readonly continues: StreamVersion | null;
  /** The stream that pays for the bytes: itself, a fork's root, or the session that started it. */
  readonly account: string;
  readonly events: readonly WriteEvent[];
  readonly rows: readonly RowWrite[];
  /** The fold after the last event, when a fold snapshot is due. */
  readonly snapshot: string | null;
}

export interface WriteEvent {
  readonly id: string;
  readonly type: string;
  /** The complete event except for its link to the previous one, which the writer adds. */
  readonly header: string;
  readonly salt: string;
  readonly data: string;
  readonly blobs: readonly string[];
  /** Set by `lease.acquired@1`: after it, lower fences are refused. */
  readonly takesFence: number | null;
}

export interface Erasure {
  readonly stream: string;
  readonly events: readonly { readonly id: string; readonly blobs: readonly string[] }[];
  /** Rows that the stream wrote earlier; the part holds those that remain. */
  readonly rows: readonly Pick<RowWrite, "list" | "id">[];
}

/** Derived data to write again. A stream's rows are written only if the stream has not changed since the comparison. */
export interface Repair {
  readonly streams: readonly {
    readonly stream: string;
    readonly version: number;
    readonly put: readonly RowWrite[];
    readonly wrongSnapshots: readonly number[];
  }[];
  readonly remove: readonly Pick<RowWrite, "list" | "id">[];
  readonly calls: readonly CallEntry[];
  readonly blobs: readonly { readonly blob: string; readonly seq: number }[];
  /** Rebuild the indexes, because they disagree with their tables. */
  readonly reindex: boolean;
  /** Recount the usage of all streams. */
  readonly recount: boolean;
}

export type Difference = RebuildReport["differences"][number];

/** A call's key and request in hex, and the positions of its events. */
export interface CallEntry {
  readonly key: string;
  readonly request: string;
  readonly first: number;
  readonly last: number;
}

export interface WrittenEvent {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
}

export type WriteReply =
  | {
      readonly ok: readonly WrittenEvent[];
      /**
       * Why erased bytes could not be removed from the files at once: a full disk, or a process that reads an old
       * state.
       */
      readonly unscrubbed: StoreErrorCode | null;
    }
  | { readonly refused: StoreErrorCode; readonly details: { readonly [key: string]: Json } };
