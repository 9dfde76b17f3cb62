import type { Json, Model, RowChange } from "../../kernel/index.ts";
import type { StoreErrorCode } from "../port.ts";

/** What crosses between the main thread and the writer: plain data, prepared so that the writer only hashes and inserts. */
export interface WriteRequest {
  readonly parts: readonly WritePart[];
  readonly fence: number;
  readonly call: { readonly key: string; readonly request: string } | null;
  readonly erase: Erasure | null;
  readonly repair?: Repair;
}

export interface WritePart {
  readonly stream: string;
  readonly expectedVersion: number;
  readonly continues: { readonly stream: string; readonly version: number } | null;
  readonly events: readonly WriteEvent[];
  readonly rows: readonly RowChange[];
  /** The fold behind the last event, when it is time to keep one. */
  readonly snapshot: string | null;
}

export interface WriteEvent {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly cause: string | null;
  readonly data: string;
  readonly blobs: readonly string[];
  /** Set by `lease.acquired@1`: from here on, lower fences are refused. */
  readonly takesFence: number | null;
}

/** Read models written anew from the log; nothing of it is an event. */
export interface Repair {
  readonly put: readonly RowChange[];
  readonly remove: readonly { readonly model: Model; readonly id: string }[];
}

export interface Erasure {
  readonly stream: string;
  readonly sessionId: string | null;
  readonly ids: readonly string[];
}

export type WriteReply =
  | {
      readonly ok: readonly { readonly seq: number; readonly prev: Uint8Array; readonly hash: Uint8Array }[];
      readonly orphans: readonly string[];
    }
  | { readonly refused: StoreErrorCode; readonly details: { readonly [key: string]: Json } };

export type ToWriter =
  | { readonly kind: "batch"; readonly requests: readonly WriteRequest[] }
  | { readonly kind: "close" };
export type FromWriter =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly replies: readonly WriteReply[] }
  | { readonly kind: "fatal"; readonly code: StoreErrorCode; readonly details: { readonly [key: string]: Json } }
  | { readonly kind: "closed" };

export interface WriterOptions {
  readonly path: string;
  /** The write-ahead log is folded into the file when it has grown to this many pages. */
  readonly checkpointPages: number;
}

export type ToReader =
  | { readonly kind: "index" }
  | { readonly kind: "search"; readonly ask: number; readonly text: string; readonly limit: number }
  | { readonly kind: "verify"; readonly ask: number }
  | { readonly kind: "rebuild"; readonly ask: number }
  | { readonly kind: "close" };
export interface ReaderOptions {
  readonly path: string;
  readonly searchPath: string;
}

export type FromReader =
  | { readonly kind: "answer"; readonly ask: number; readonly value: unknown }
  | { readonly kind: "progress"; readonly ask: number; readonly done: number; readonly of: number }
  | {
      readonly kind: "failed";
      readonly ask: number;
      readonly code: StoreErrorCode;
      readonly details: { readonly [key: string]: Json };
    }
  | { readonly kind: "closed" };
