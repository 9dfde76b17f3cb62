import type { Definitions, Folded } from "../domains/index.ts";
import type { Aggregate, AnyFact, Folding, Json, List } from "../kernel/index.ts";
import type { Cursor, Follower } from "./log/follower.ts";
import type { RowQuery } from "./models/rows.ts";
import type { MayKeep, Quota, StoreFiles, StreamUsage } from "./models/usage-shapes.ts";

export type { Advanced, Cursor, Follower } from "./log/follower.ts";
export type { RowPlace, RowQuery } from "./models/rows.ts";
export type { MayKeep, Quota, StoreFiles, StreamUsage } from "./models/usage-shapes.ts";
export { STORE_ERROR_CODES, StoreError, type StoreErrorCode } from "./store-error.ts";

/** An event before it is appended. The store adds its place and its hashes. */
export interface NewEvent {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly cause: string | null;
  readonly fact: AnyFact;
}

/** An event as it is stored and as every surface shows it. `data` is null after erasure. */
export interface RecordedEvent {
  readonly seq: number;
  readonly id: string;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly cause: string | null;
  readonly data: Json;
  readonly hash: string;
  readonly prev: string;
}

export interface AppendPart {
  readonly stream: string;
  readonly expectedVersion: number;
  readonly events: readonly NewEvent[];
  /** For the first event of a fork: the parent's event whose hash it continues. */
  readonly continues?: StreamVersion;
  /** The fold that the events were decided on, as `fold` returned it. With it the store folds only the new events. */
  readonly before?: Folded;
}

/** A stream at a version; 0 for a stream without events. */
export interface StreamVersion {
  readonly stream: string;
  readonly version: number;
}

/** Hashes of the caller's idempotency key and of its request. Stored in the header's `cause`. */
export interface CallRef {
  readonly keyHash: string;
  readonly requestHash: string;
}

export interface AppendOptions {
  readonly fence: number;
  readonly call?: CallRef | null;
  /** The quota to keep; null writes without a limit. */
  readonly quota?: Quota | null;
  /**
   * Guards: streams that the decision read but does not change. Each must still be at this version, or nothing is
   * written and `stale_version` names the stream.
   */
  readonly expect?: readonly StreamVersion[];
}

/** Cursors are global positions (`seq`), exclusive, also when reading one stream. */
export interface EventQuery {
  readonly after?: number;
  readonly before?: number;
  readonly limit: number;
  readonly descending?: boolean;
  /** With or without version: `turn.ended@1` or `turn.ended`. */
  readonly types?: readonly string[];
  readonly turnId?: string;
}

/** A page may be short or empty before the end, because scanning is bounded. `next` is null at the end. */
export interface EventPage {
  readonly events: readonly RecordedEvent[];
  readonly next: number | null;
}

export interface SearchHit {
  readonly stream: string;
  readonly eventId: string;
  readonly snippet: string;
}

export interface EventHash {
  readonly seq: number;
  readonly hash: Uint8Array;
}

/** The part of a checkpoint that an export needs. */
export interface SignedSize {
  readonly size: number;
  readonly note: string;
}

export interface BundleRequest {
  /** Absolute, and nothing may exist there. A name that ends in `.tar` makes one file, any other a folder. */
  readonly path: string;
  /** The verifier key, written to `key.pub`. */
  readonly key: string;
  /** Signs a checkpoint over the whole log. Called again if data was erased during the export. */
  readonly checkpoint: () => Promise<SignedSize>;
}

export interface BundleReport {
  readonly size: number;
  readonly blobs: number;
  /** Named by events but missing. Verification of the bundle will report them too. */
  readonly missingBlobs: number;
}

/** An event with its stored bytes, unchecked. */
export interface RawEvent {
  readonly seq: number;
  readonly prev: Uint8Array;
  readonly header: Uint8Array;
  readonly hash: Uint8Array;
  readonly salt: Uint8Array | null;
  readonly data: Uint8Array | null;
  /** The blobs that the data names. */
  readonly blobs: readonly string[];
}

export interface LogCopy {
  /** The seq of the last event in the copy. */
  readonly events: number;
  readonly blobs: number;
  /** The size of the file and the blobs together. */
  readonly bytes: number;
  /** Named by events but missing when the copy was made. */
  readonly missingBlobs: readonly string[];
}

export interface BlobUse {
  /** How many events name it. */
  readonly names: number;
  /** Compressed, as stored. */
  readonly bytes: number;
}

export interface BlobSweep {
  readonly fence: number;
  /** Blobs stored (or stored again) more recently than this are kept. */
  readonly minAgeMs: number;
  /** Reports only; removes nothing. */
  readonly dryRun: boolean;
}

export interface SweptBlobs {
  readonly blobs: number;
  readonly bytes: number;
}

export interface LogProblem {
  readonly stream: string;
  readonly version: number;
  readonly seq: number | null;
  readonly problem: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly events: number;
  readonly streams: number;
  readonly problems: readonly LogProblem[];
}

export interface RebuildReport {
  readonly ok: boolean;
  readonly streams: number;
  readonly rows: number;
  readonly differences: readonly {
    readonly model: string;
    readonly id: string;
    readonly what: "missing" | "extra" | "differs";
  }[];
}

export type Progress = (done: number, of: number) => void;

/**
 * The durable log and its read models. Asynchronous, because a store may be across a network. `append` resolves after
 * the flush. Every refusal is a `StoreError` with a catalogued code.
 */
export interface Store {
  /** The definitions of the log's aggregates. */
  readonly definitions: Definitions;
  /**
   * Atomic over all its parts. Refuses `stale_version`, `stale_fence`, `idempotency_key_reused`, `quota_exceeded`,
   * `disk_full`, `overloaded`.
   */
  readonly append: (parts: readonly AppendPart[], options: AppendOptions) => Promise<readonly RecordedEvent[]>;
  /** The events of an earlier append with this key; null when the key is new. */
  readonly findCall: (call: CallRef) => Promise<readonly RecordedEvent[] | null>;
  /** The fold of a stream, now or at a version. The cost does not depend on the stream's length. */
  readonly fold: <State extends Folding>(of: Aggregate<State>, id: string, atVersion?: number) => Promise<State>;
  /** `fold` for a stream of any kind. */
  readonly foldStream: (stream: string, atVersion?: number) => Promise<Folded>;
  readonly readStream: (stream: string, query: EventQuery) => Promise<EventPage>;
  readonly readAll: (query: EventQuery) => Promise<EventPage>;
  /**
   * Stored bytes of a stream's events after a version. May return fewer than the limit when they are large; empty at
   * the end.
   */
  readonly rawStream: (stream: string, after: number, limit: number) => Promise<readonly RawEvent[]>;
  readonly event: (id: string) => Promise<RecordedEvent | null>;
  /** The version of a stream's last event; 0 when there is none. */
  readonly version: (stream: string) => Promise<number>;
  /** The global position of a stream's event. */
  readonly seqAt: (stream: string, version: number) => Promise<number>;
  readonly lastSeq: () => Promise<number>;
  /** The hashes of the events after a seq, without gaps; the tree is built from them. Empty at the end. */
  readonly hashesAfter: (seq: number, limit: number) => Promise<readonly EventHash[]>;
  /** The history after the cursor, then live events, without gaps or duplicates. Ends when the signal aborts. */
  readonly tail: (query: {
    readonly after: number;
    readonly stream?: string;
    readonly signal: AbortSignal;
  }) => AsyncIterable<readonly RecordedEvent[]>;
  /** Called in commit order, after the flush. Returns a function that unsubscribes. */
  readonly onAppend: (listener: (events: readonly RecordedEvent[]) => void) => () => void;
  readonly row: <Row>(list: List<Row>, id: string) => Promise<Row | null>;
  readonly rows: <Row, Key extends string>(
    list: List<Row, Key>,
    query: RowQuery<NoInfer<Key>>,
  ) => Promise<readonly Row[]>;
  /** How many rows have these keys. Fast when the key is indexed. */
  readonly count: <Row, Key extends string>(
    list: List<Row, Key>,
    where?: RowQuery<NoInfer<Key>>["where"],
  ) => Promise<number>;
  /** The number of rows for each value of a key, counted in the background. */
  readonly counts: <Row, Key extends string>(
    list: List<Row, Key>,
    by: NoInfer<Key>,
    where?: RowQuery<NoInfer<Key>>["where"],
  ) => Promise<{ readonly [value: string]: number }>;
  /** Searches streams of one kind. Finds everything appended before the call: the index catches up first. */
  readonly search: (text: string, limit: number, of: Pick<Aggregate, "kind">) => Promise<readonly SearchHit[]>;
  /** Keeps the search index close to the end of the log, so that a search has little to catch up. */
  readonly searchFollower: Follower;
  /** The cursor of the follower with this name; null when it has none. */
  readonly cursor: (name: string) => Promise<Cursor | null>;
  /** Flushed when it resolves. Refuses `stale_fence`. */
  readonly setCursor: (name: string, at: Cursor, options: { readonly fence: number }) => Promise<void>;
  readonly dropCursor: (name: string, options: { readonly fence: number }) => Promise<void>;
  /** `mayKeep` is called before the write with the compressed size; it throws to refuse. */
  readonly putBlob: (bytes: Uint8Array, mayKeep?: MayKeep) => Promise<string>;
  readonly blob: (sha256: string) => Promise<Uint8Array | null>;
  /** Deletes data and salt of these events of one stream, keeps their headers, and appends `data.erased@1`. */
  readonly erase: (
    stream: string,
    ids: readonly string[],
    event: NewEvent,
    options: AppendOptions,
  ) => Promise<readonly RecordedEvent[]>;
  /** The usage of a stream, or of the whole log: exact, and read from one row. */
  readonly usage: (stream?: string) => Promise<StreamUsage>;
  /** The size on disk, without the blobs. */
  readonly files: () => Promise<StoreFiles>;
  /** The size of the write-ahead log. It grows while a process reads an old state. */
  readonly walBytes: () => number;
  /** Copies the log at one moment, with the blobs it names, into an empty folder. Only erasures wait for it. */
  readonly copyTo: (folder: string, progress?: Progress) => Promise<LogCopy>;
  /** Null when there is no such blob. */
  readonly blobUse: (sha256: string) => Promise<BlobUse | null>;
  /** Removes blobs that no event names. Recently stored ones are kept, because an event may be about to name them. */
  readonly sweepBlobs: (sweep: BlobSweep) => Promise<SweptBlobs>;
  /** Returns space freed by erasures to the file system, as far as the store can. */
  readonly giveBack: (fence: number) => Promise<void>;
  readonly verify: (progress?: Progress) => Promise<VerifyReport>;
  /** Writes the log up to a checkpoint as a verifiable bundle, in another thread and while the log grows. */
  readonly exportBundle: (request: BundleRequest) => Promise<BundleReport>;
  /** Compares every read model with the log. With a fence it also repairs the differences. */
  readonly rebuild: (repair: { readonly fence: number } | null, progress?: Progress) => Promise<RebuildReport>;
  /** New lists that lack the rows of older events. A rebuild with a fence fills them. */
  readonly unfilledLists: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}
