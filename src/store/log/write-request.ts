import type { Json } from "../../kernel/index.ts";
import type { RowWrite } from "../models/rows.ts";
import type { AppendOptions, Cursor, Quota, RebuildReport, StoreErrorCode, StreamVersion } from "../port.ts";

/** What a writer is asked for: plain data, prepared so that it only links and inserts. */
export interface WriteRequest {
  readonly parts: readonly WritePart[];
  readonly fence: number;
  readonly call: { readonly key: string; readonly request: string } | null;
  readonly erase: Erasure | null;
  readonly repair: Repair | null;
  /** What was erased, now or before, shall leave the files too. */
  readonly scrub: boolean;
  /** Blobs that go, unless an event names them. */
  readonly sweep: readonly string[];
  /** So many pages of the file that hold nothing are cut off its end. */
  readonly vacuumPages: number;
  readonly quota: Quota | null;
  /** Streams that must be where they were when they were looked at. */
  readonly expect: readonly StreamVersion[];
  readonly cursor: CursorWrite | null;
}

/** Where a follower has come to; null: its cursor goes. */
export interface CursorWrite {
  readonly name: string;
  readonly at: Cursor | null;
}

/** A request that asks for nothing yet. */
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

/** The part of a request that says under which conditions it is written. */
export function conditionsOf(given: AppendOptions): Pick<WriteRequest, "fence" | "call" | "quota" | "expect"> {
  return { fence: given.fence, call: callOf(given), quota: given.quota ?? null, expect: given.expect ?? [] };
}

/** The first expectation that does not hold; null when all do. */
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
  /** The stream on whose account it draws: its own, a fork's root, or the session that started it. */
  readonly account: string;
  readonly events: readonly WriteEvent[];
  readonly rows: readonly RowWrite[];
  /** The fold behind the last event, when it is time to keep one. */
  readonly snapshot: string | null;
}

export interface WriteEvent {
  readonly id: string;
  readonly type: string;
  /** Complete: of an event, only its link to the one before is the writer's to give. */
  readonly header: string;
  readonly salt: string;
  readonly data: string;
  readonly blobs: readonly string[];
  /** Set by `lease.acquired@1`: from here on, lower fences are refused. */
  readonly takesFence: number | null;
}

export interface Erasure {
  readonly stream: string;
  readonly events: readonly { readonly id: string; readonly blobs: readonly string[] }[];
  /** Rows that the stream brought before; those it still brings stand in the part. */
  readonly rows: readonly Pick<RowWrite, "list" | "id">[];
}

/** What is derived from the log, written anew; of a stream only while it is where it was when it was looked at. */
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
  /** The indexes do not agree with their tables and are made anew. */
  readonly reindex: boolean;
  /** What streams take up is counted anew. */
  readonly recount: boolean;
}

export type Difference = RebuildReport["differences"][number];

/** A call's key and request in hex, and where the events lie that it brought. */
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
      /** What kept erased bytes from leaving the files at once: a full disk, or a process that reads an old state. */
      readonly unscrubbed: StoreErrorCode | null;
    }
  | { readonly refused: StoreErrorCode; readonly details: { readonly [key: string]: Json } };
