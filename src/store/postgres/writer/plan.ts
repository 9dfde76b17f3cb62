import type { CursorWrite, Erasure, Repair, WriteEvent, WriteReply } from "../../log/write-request.ts";
import type { Taken } from "../../models/quota.ts";
import type { RowWrite } from "../../models/rows.ts";

/** The end of the log, before or after the transaction. */
export interface LogHead {
  readonly seq: number;
  /** The number of streams; a new stream gets the next number. */
  readonly streams: number;
  readonly fence: number;
}

/** The mark names the transaction that changed the head last, so it differs after every change. */
export interface MarkedHead {
  readonly head: LogHead;
  readonly mark: string;
}

/** A stream's last event, to which the next one is linked. */
export interface StreamHead {
  readonly no: number;
  readonly version: number;
  readonly hash: Uint8Array;
  /** Whether the head's bytes match its hash. A chain is never continued from a damaged event. */
  readonly isWhole: boolean;
  readonly usage: Taken;
  /** The account's stream, by number and name, and the total usage of the account if it is this stream. */
  readonly account: number;
  readonly accountName: string;
  readonly familyBytes: number;
}

/** Everything that a batch depends on, read under the head's lock. */
export interface Known {
  readonly head: LogHead;
  readonly streamHead: (stream: string) => StreamHead | null;
  /** Requests by idempotency key, both in hex. */
  readonly calls: ReadonlyMap<string, string>;
  /** Hashes of events that forks continue, by `placeOf`. */
  readonly hashes: ReadonlyMap<string, Uint8Array>;
  readonly goneBlobs: ReadonlySet<string>;
  /** Sizes of stored blobs that are not yet counted. */
  readonly newBlobs: ReadonlyMap<string, number>;
  /** The usage of the whole log. */
  readonly home: Taken;
  /** The seq of each event to erase, by id. */
  readonly erasable: ReadonlyMap<string, number>;
  /** The other holder of the lease, if the batch takes a fence. */
  readonly rival: string | null;
}

export interface EventInsert {
  readonly seq: number;
  readonly stream: number;
  readonly version: number;
  readonly prev: Uint8Array;
  readonly hash: Uint8Array;
  readonly event: WriteEvent;
}

/** Everything that a batch writes. If something is written twice, only the last write is kept. */
export interface Plan {
  readonly replies: readonly WriteReply[];
  readonly head: LogHead;
  readonly streamHeads: ReadonlyMap<string, StreamHead>;
  readonly home: Taken;
  readonly brought: readonly { readonly blob: string; readonly stream: number; readonly bytes: number }[];
  readonly newStreams: readonly { readonly no: number; readonly name: string }[];
  readonly events: readonly EventInsert[];
  readonly rows: readonly RowWrite[];
  readonly snapshots: readonly { readonly stream: number; readonly version: number; readonly state: string }[];
  readonly calls: readonly {
    readonly key: string;
    readonly request: string;
    readonly first: number;
    readonly last: number;
  }[];
  readonly erasure: (Erasure & { readonly seqs: readonly number[] }) | null;
  readonly repair: Repair | null;
  readonly cursors: readonly CursorWrite[];
  /** Versions of streams. A batch with a repair appends nothing, so they are the same before and after it. */
  readonly versions: (stream: string) => number;
}

export function placeOf(place: { readonly stream: string; readonly version: number }): string {
  return `${place.version} ${place.stream}`;
}
