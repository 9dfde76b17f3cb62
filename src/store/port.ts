import type { Aggregate, AnyFact, Definitions, Folded, Folding, Json, List } from "../kernel/index.ts";
import type { Cursor, Follower } from "./log/follower.ts";
import type { RowQuery } from "./models/rows.ts";
import type { MayKeep, Quota, StoreFiles, StreamUsage } from "./models/usage-shapes.ts";

export type { Advanced, Cursor, Follower } from "./log/follower.ts";
export type { RowPlace, RowQuery } from "./models/rows.ts";
export type { MayKeep, Quota, StoreFiles, StreamUsage } from "./models/usage-shapes.ts";
export { STORE_ERROR_CODES, StoreError, type StoreErrorCode } from "./store-error.ts";

/** An event on its way in: its place and its hashes are the store's to give. */
export interface NewEvent {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly cause: string | null;
  readonly fact: AnyFact;
}

/** An event as it is stored, and as every surface shows it. `data` is null after erasure. */
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
  /** The fold that the events were decided on, as `fold` gave it. With it the store folds only what is new. */
  readonly before?: Folded;
}

/** A stream as of its event number `version`; 0 for a stream without events. */
export interface StreamVersion {
  readonly stream: string;
  readonly version: number;
}

/** Who asked, by hash: the caller's idempotency key and what it asked for. Kept in the header's `cause`. */
export interface CallRef {
  readonly keyHash: string;
  readonly requestHash: string;
}

export interface AppendOptions {
  readonly fence: number;
  readonly call?: CallRef | null;
  /** What it may not go beyond; without one it is written whatever is used already. */
  readonly quota?: Quota | null;
  /**
   * Streams that were only looked at. Each must still be at this version when the events are written, or nothing is:
   * `stale_version`, with the stream that moved.
   */
  readonly expect?: readonly StreamVersion[];
}

/** Cursors are global positions (`seq`), exclusive, also for one stream: they only rise along it. */
export interface EventQuery {
  readonly after?: number;
  readonly before?: number;
  readonly limit: number;
  readonly descending?: boolean;
  /** With or without version: `turn.ended@1` or `turn.ended`. */
  readonly types?: readonly string[];
  readonly turnId?: string;
}

/** A page may be short or empty although there is more: scanning is bounded too. `next` null means the end was reached. */
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

/** A checkpoint as far as an export needs it. */
export interface SignedSize {
  readonly size: number;
  readonly note: string;
}

export interface BundleRequest {
  /** Absolute; a name that ends in `.tar` makes one file, any other a folder. Nothing may be there. */
  readonly path: string;
  /** The verifier key, as it goes into `key.pub`. */
  readonly key: string;
  /** A checkpoint over all there is now. Asked again when something was erased while the export went on. */
  readonly checkpoint: () => Promise<SignedSize>;
}

export interface BundleReport {
  readonly size: number;
  readonly blobs: number;
  /** Named by events but not there. The bundle is what is left; its verification will say so too. */
  readonly missingBlobs: number;
}

/** An event as its bytes lie there, hashed or not. */
export interface RawEvent {
  readonly seq: number;
  readonly prev: Uint8Array;
  readonly header: Uint8Array;
  readonly hash: Uint8Array;
  readonly salt: Uint8Array | null;
  readonly data: Uint8Array | null;
  /** Those that the data names. */
  readonly blobs: readonly string[];
}

export interface LogCopy {
  /** The position of the last event in it. */
  readonly events: number;
  readonly blobs: number;
  /** Of the file and the blobs together. */
  readonly bytes: number;
  /** Named by events but not there when the copy was made. */
  readonly missingBlobs: readonly string[];
}

export interface BlobUse {
  /** How many events name it. */
  readonly names: number;
  /** As it lies there, compressed. */
  readonly bytes: number;
}

export interface BlobSweep {
  readonly fence: number;
  /** Brought, for the first time or again, less long ago: left alone. */
  readonly minAgeMs: number;
  /** Only says what would go. */
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
 * The durable log and its read models. Asynchronous, because the fleet's store is across a network.
 * A promise of `append` that resolves means: flushed. All refusals are `StoreError`s with a catalogued code.
 */
export interface Store {
  /** What its log is made of. */
  readonly definitions: Definitions;
  /**
   * Atomic over all its parts. Refuses `stale_version`, `stale_fence`, `idempotency_key_reused`, `quota_exceeded`,
   * `disk_full`, `overloaded`.
   */
  readonly append: (parts: readonly AppendPart[], options: AppendOptions) => Promise<readonly RecordedEvent[]>;
  /** The events that an earlier append with this key brought; null when the key is new. */
  readonly findCall: (call: CallRef) => Promise<readonly RecordedEvent[] | null>;
  /** The fold of a stream, now or as of a version. Costs the same however long the stream is. */
  readonly fold: <State extends Folding>(of: Aggregate<State>, id: string, atVersion?: number) => Promise<State>;
  /** The same for a stream of whatever kind. */
  readonly foldStream: (stream: string, atVersion?: number) => Promise<Folded>;
  readonly readStream: (stream: string, query: EventQuery) => Promise<EventPage>;
  readonly readAll: (query: EventQuery) => Promise<EventPage>;
  /** Events of a stream behind a version, byte for byte; fewer than the limit when they are large, none at the end. */
  readonly rawStream: (stream: string, after: number, limit: number) => Promise<readonly RawEvent[]>;
  readonly event: (id: string) => Promise<RecordedEvent | null>;
  /** The version of a stream's last event; 0 when there is none. */
  readonly version: (stream: string) => Promise<number>;
  /** The global position of a stream's event. */
  readonly seqAt: (stream: string, version: number) => Promise<number>;
  readonly lastSeq: () => Promise<number>;
  /** The hashes of the events behind a global position, without a gap: what the tree is made of. Empty at the end. */
  readonly hashesAfter: (seq: number, limit: number) => Promise<readonly EventHash[]>;
  /** History after the cursor, then live events: no gap, no duplicate. Ends with the signal. */
  readonly tail: (query: {
    readonly after: number;
    readonly stream?: string;
    readonly signal: AbortSignal;
  }) => AsyncIterable<readonly RecordedEvent[]>;
  /** Called in commit order, after the flush. Returns the way to stop. */
  readonly onAppend: (listener: (events: readonly RecordedEvent[]) => void) => () => void;
  readonly row: <Row>(list: List<Row>, id: string) => Promise<Row | null>;
  readonly rows: <Row, Key extends string>(
    list: List<Row, Key>,
    query: RowQuery<NoInfer<Key>>,
  ) => Promise<readonly Row[]>;
  /** How many rows have these keys: quick where an index knows. */
  readonly count: <Row, Key extends string>(
    list: List<Row, Key>,
    where?: RowQuery<NoInfer<Key>>["where"],
  ) => Promise<number>;
  /** How many rows there are by each value of a key; counted in the background. */
  readonly counts: <Row, Key extends string>(
    list: List<Row, Key>,
    by: NoInfer<Key>,
    where?: RowQuery<NoInfer<Key>>["where"],
  ) => Promise<{ readonly [value: string]: number }>;
  /** In streams of one kind. Finds everything that was appended before: what the index lacks is taken in first. */
  readonly search: (text: string, limit: number, of: Pick<Aggregate, "kind">) => Promise<readonly SearchHit[]>;
  /** Keeps the full text near the end of the log, so that a search has little to take in. */
  readonly searchFollower: Follower;
  /** Where the follower of this name is; null when it has never begun. */
  readonly cursor: (name: string) => Promise<Cursor | null>;
  /** Durable when it resolves. Refuses `stale_fence`. */
  readonly setCursor: (name: string, at: Cursor, options: { readonly fence: number }) => Promise<void>;
  readonly dropCursor: (name: string, options: { readonly fence: number }) => Promise<void>;
  /** `mayKeep` is asked before anything is written, with the size it is stored in; it throws to refuse. */
  readonly putBlob: (bytes: Uint8Array, mayKeep?: MayKeep) => Promise<string>;
  readonly blob: (sha256: string) => Promise<Uint8Array | null>;
  /** Deletes data and salt of these events of one stream, keeps their headers, and appends `data.erased@1`. */
  readonly erase: (
    stream: string,
    ids: readonly string[],
    event: NewEvent,
    options: AppendOptions,
  ) => Promise<readonly RecordedEvent[]>;
  /** What a stream takes up, or without one the whole log: exact, and one point read. */
  readonly usage: (stream?: string) => Promise<StreamUsage>;
  /** What it takes up on disk beside the blobs. */
  readonly files: () => Promise<StoreFiles>;
  /** Written and not yet folded into the database; grows as long as somebody reads an old state of it. */
  readonly walBytes: () => number;
  /** Writes all of the log as of one moment, with the blobs it names, into an empty folder; nobody waits for it but erasures. */
  readonly copyTo: (folder: string, progress?: Progress) => Promise<LogCopy>;
  /** Null when there is no such blob. */
  readonly blobUse: (sha256: string) => Promise<BlobUse | null>;
  /** Removes blobs that no event names and that nobody has brought for a while: whoever did may be about to name them. */
  readonly sweepBlobs: (sweep: BlobSweep) => Promise<SweptBlobs>;
  /** Gives what erasures have freed back to the file system, as far as the store can. */
  readonly giveBack: (fence: number) => Promise<void>;
  readonly verify: (progress?: Progress) => Promise<VerifyReport>;
  /** Writes the log up to a checkpoint as a bundle that others can verify, off the main thread and while it grows. */
  readonly exportBundle: (request: BundleRequest) => Promise<BundleReport>;
  /** Compares every read model with the log; given a fence it also writes what differs anew. */
  readonly rebuild: (repair: { readonly fence: number } | null, progress?: Progress) => Promise<RebuildReport>;
  /** Lists that are new to this log and lack what it said before: a rebuild with a fence fills them. */
  readonly unfilledLists: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}
