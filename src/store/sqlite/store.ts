import { statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { LIMITS, streamOf } from "../../kernel/index.ts";
import { createExports } from "../bundle/exports.ts";
import { loadDefinitions } from "../definitions.ts";
import { blobPath, createBlobs } from "../files/blobs.ts";
import { createListeners } from "../log/listeners.ts";
import { createTurns } from "../log/shared-or-alone.ts";
import { tail } from "../log/tail.ts";
import { NOTHING } from "../log/write-request.ts";
import { createFoldCache } from "../models/fold-cache.ts";
import { type Store, StoreError } from "../port.ts";
import { copyInThread } from "./copying/copy-client.ts";
import { exportInThread } from "./copying/export-client.ts";
import { makeHome } from "./opening/make-home.ts";
import { startReader } from "./reader/reader-client.ts";
import { createSearchFollower } from "./reader/search-follower.ts";
import { createFolds } from "./reads/folds.ts";
import { createPageReads } from "./reads/page-reads.ts";
import { createPointReads } from "./reads/point-reads.ts";
import { createRecentReads } from "./reads/recent-reads.ts";
import { openForReading } from "./tables/schema.ts";
import { sizeIfOld } from "./writer/blob-sweep.ts";
import { createFreeSpace } from "./writer/free-space.ts";
import { createLogWrites } from "./writer/log-writes.ts";
import { startWriterThread } from "./writer/start-thread.ts";
import { openWriter } from "./writer/writer-client.ts";

export interface SqliteStoreOptions {
  readonly home: string;
  /** A flush failed: the process must end and restart from the disk. */
  readonly onFatal: (error: StoreError) => void;
  readonly checkpointPages?: number;
  /** A module with other aggregates than the built-in ones. */
  readonly definitions?: string | null;
  /** A thread that was started early; otherwise one is started now. */
  readonly thread?: Worker;
}

const CHECKPOINT_PAGES = 4096;

/** The SQLite store: one file, one writer thread, one reader thread, and point reads in the main thread. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const path = logPath(options.home);
  const searchPath = join(options.home, "search.db");
  const blobFolder = join(options.home, "blobs");
  makeHome(options.home, path);
  const module = options.definitions ?? null;
  const checkpointPages = options.checkpointPages ?? CHECKPOINT_PAGES;
  const [writer, defined] = await Promise.all([
    openWriter(
      options.thread ?? startWriterThread(),
      { path, blobFolder, definitions: module, checkpointPages },
      options.onFatal,
    ),
    loadDefinitions(module),
  ]);
  const db = await openForReadingOr(path, writer.close);
  const reads = createPageReads(db);
  const reader = startReader({ path, searchPath, blobFolder, definitions: module });
  const exports = createExports(exportInThread({ path, blobFolder }));
  const blobs = createBlobs(blobFolder);
  const cache = createFoldCache();
  const folds = createFolds(defined, reads, cache);
  const listeners = createListeners();
  const closing = new AbortController();
  /** Keeps erasures from running during a copy. */
  const erasing = createTurns();
  /** Keeps sweeps from running while a blob is stored. */
  const bringing = createTurns();
  const writes = createLogWrites({ defined, reads, folds, cache, writer, reader, listeners, bringing });

  const close = async (): Promise<void> => {
    closing.abort();
    await exports.close();
    await writer.finish();
    await reader.close();
    db.close();
    // Last: the last connection to close removes the write-ahead log, and read-only ones cannot.
    await writer.close();
  };
  let closed: Promise<void> | null = null;

  return {
    ...createPointReads(db, reads),
    ...createRecentReads(reads, writer),
    ...createFreeSpace({ blobFolder, reads, writer, bringing }),
    definitions: defined,
    append: writes.append,
    erase: (stream, ids, event, given) => erasing.shared(() => writes.erase(stream, ids, event, given)),
    fold: async (of, id, atVersion) =>
      (await folds.asOf(streamOf(of, id), atVersion)).state as ReturnType<typeof of.empty>,
    foldStream: folds.asOf,
    tail: ({ after, stream, signal }) => {
      const page = (cursor: number, limit: number) =>
        stream === undefined ? reads.all({ after: cursor, limit }) : reads.stream(stream, { after: cursor, limit });
      return tail({ page, onAppend: listeners.add, stream }, after, AbortSignal.any([signal, closing.signal]));
    },
    onAppend: listeners.add,
    counts: (list, by, where) => reader.counts(list.name, by, where),
    search: (text, limit, { kind }) => reader.search(text, limit, kind),
    searchFollower: createSearchFollower({ reader, searchPath, reads, defined }),
    setCursor: async (name, at, { fence }) => void (await writer.write({ ...NOTHING, fence, cursor: { name, at } })),
    dropCursor: async (name, { fence }) => void (await writer.write({ ...NOTHING, fence, cursor: { name, at: null } })),
    putBlob: async (bytes, mayKeep) => {
      if (bytes.length > LIMITS.artifactBytes)
        throw new StoreError("payload_too_large", { maxBytes: LIMITS.artifactBytes });
      return bringing.shared(() => blobs.put(bytes, mayKeep));
    },
    blob: blobs.get,
    files: async () => ({ databaseBytes: sizeOf(path), searchBytes: sizeOf(searchPath) }),
    walBytes: () => sizeOf(`${path}-wal`),
    copyTo: (folder, progress) =>
      erasing.alone(() => copyInThread({ path, blobFolder, folder }, progress, closing.signal)),
    blobUse: async (sha256) => {
      const bytes = BLOB.test(sha256) ? await sizeIfOld(blobPath(blobFolder, sha256), 0) : null;
      return bytes === null ? null : { names: reads.namesOf(sha256), bytes };
    },
    verify: reader.verify,
    exportBundle: exports.run,
    rebuild: async (repair, progress) => {
      const { repair: changes, ...report } = await reader.compare(progress);
      if (repair === null) return report;
      await writer.write({ ...NOTHING, fence: repair.fence, repair: changes });
      cache.clear();
      return report;
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

export function logPath(home: string): string {
  return join(home, "log.db");
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Calls `giveUp` to stop what has been started if the file cannot be opened. */
async function openForReadingOr(path: string, giveUp: () => Promise<void>): Promise<DatabaseSync> {
  try {
    return openForReading(path);
  } catch (cause) {
    await giveUp();
    throw cause;
  }
}

const BLOB = /^[0-9a-f]{64}$/;
