import type { List } from "../../kernel/index.ts";
import type { Awaitable } from "../awaitable.ts";
import type { CallEntry } from "../log/write-request.ts";
import type { EventPage, EventQuery, RecordedEvent } from "../port.ts";

/** The reads that a comparison of derived data needs, for either database. */
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
  /** Descriptions of indexes that disagree with their tables. */
  readonly brokenIndexes: () => Awaitable<readonly string[]>;
  /** Descriptions of wrong usage counts. */
  readonly usageProblems: () => Awaitable<readonly string[]>;
  /** All reads inside see the same moment. */
  readonly atOnce: <T>(work: (reads: DerivedReads) => Promise<T>) => Promise<T>;
}

/** A row with its columns, even when it is damaged. */
export interface StoredRow {
  readonly row: string;
  readonly columns: readonly unknown[];
  readonly isWhole: boolean;
}
