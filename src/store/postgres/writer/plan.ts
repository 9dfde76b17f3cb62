import type { CursorWrite, Erasure, Repair, WriteEvent, WriteReply } from "../../log/write-request.ts";
import type { Taken } from "../../models/quota.ts";
import type { RowWrite } from "../../models/rows.ts";

/** The end of the log as the transaction found it, or as it leaves it. */
export interface LogHead {
  readonly seq: number;
  /** How many streams there are: the next one gets the next number. */
  readonly streams: number;
  readonly fence: number;
}

/** A stream's last event: what the next one is linked to. */
export interface StreamHead {
  readonly no: number;
  readonly version: number;
  readonly hash: Uint8Array;
  /** Its bytes are those that were written. A chain is not continued from a link that has changed. */
  readonly isWhole: boolean;
  readonly usage: Taken;
  /** The stream that it draws on, by number and name; and what everything takes up that draws on this one. */
  readonly account: number;
  readonly accountName: string;
  readonly familyBytes: number;
}

/** All that a batch depends on, read under the log's lock. */
export interface Known {
  readonly head: LogHead;
  readonly streamHead: (stream: string) => StreamHead | null;
  /** By key, what was asked for; both in hex. */
  readonly calls: ReadonlyMap<string, string>;
  /** Of events that forks continue, by `placeOf`. */
  readonly hashes: ReadonlyMap<string, Uint8Array>;
  readonly goneBlobs: ReadonlySet<string>;
  /** Of blobs that are there and that nobody has brought yet: what they take up. */
  readonly newBlobs: ReadonlyMap<string, number>;
  /** What the whole log takes up. */
  readonly home: Taken;
  /** Positions of events that are to be erased, by id. */
  readonly erasable: ReadonlyMap<string, number>;
  /** Who else holds the lease, if a fence is to be taken. */
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

/** What a batch writes. Of everything that can be written twice, only the last. */
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
  /** As they are before and behind the batch: one with a repair appends nothing. */
  readonly versions: (stream: string) => number;
}

export function placeOf(place: { readonly stream: string; readonly version: number }): string {
  return `${place.version} ${place.stream}`;
}
