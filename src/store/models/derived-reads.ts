import type { List } from "../../kernel/index.ts";
import type { Awaitable } from "../awaitable.ts";
import type { CallEntry } from "../log/write-request.ts";
import type { EventPage, EventQuery, RecordedEvent } from "../port.ts";

/** What it takes to compare all that is derived from the log with the log, whatever it is kept in. */
export interface DerivedReads {
  readonly streams: () => Awaitable<readonly string[]>;
  readonly version: (stream: string) => Awaitable<number>;
  readonly versions: (
    stream: string,
    after: number,
    upTo: number,
    limit: number,
  ) => Awaitable<readonly RecordedEvent[]>;
  readonly all: (query: EventQuery) => Awaitable<EventPage>;
  readonly call: (key: string) => Awaitable<CallEntry | null>;
  readonly isBlobNoted: (blob: string, seq: number) => Awaitable<boolean>;
  readonly storedIds: (list: List) => Awaitable<Set<string>>;
  readonly storedRow: (list: List, id: string) => Awaitable<StoredRow | null>;
  readonly snapshotVersions: (stream: string) => Awaitable<ReadonlySet<number>>;
  readonly snapshotAt: (
    stream: string,
    version: number,
  ) => Awaitable<{ readonly state: string; readonly isWhole: boolean } | null>;
  /** In words: indexes that do not agree with their tables. */
  readonly brokenIndexes: () => Awaitable<readonly string[]>;
  /** In words: where what is kept of streams' sizes is not what they take up. */
  readonly usageProblems: () => Awaitable<readonly string[]>;
  /** Everything that is read inside is of one moment. */
  readonly atOnce: <T>(work: (reads: DerivedReads) => Promise<T>) => Promise<T>;
}

/** A row with the columns beside it, also a damaged one. */
export interface StoredRow {
  readonly row: string;
  readonly columns: readonly unknown[];
  readonly isWhole: boolean;
}
