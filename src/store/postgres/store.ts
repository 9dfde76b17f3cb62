import { LIMITS, streamOf } from "../../kernel/index.ts";
import { createExports } from "../bundle/exports.ts";
import { createListeners } from "../log/listeners.ts";
import { tail } from "../log/tail.ts";
import { NOTHING } from "../log/write-request.ts";
import { compareModels } from "../models/compare-models.ts";
import { createFoldCache } from "../models/fold-cache.ts";
import { type EventPage, type Store, StoreError } from "../port.ts";
import { startNews } from "./connection/news.ts";
import { openDatabase, type PostgresStoreOptions } from "./connection/open-database.ts";
import { createUnderWay } from "./connection/under-way.ts";
import { untilReachable } from "./connection/until-reachable.ts";
import { copyLog } from "./copying/copy.ts";
import { exportLog } from "./copying/export.ts";
import { createDerivedReads } from "./reads/derived-reads.ts";
import { createFolds } from "./reads/folds.ts";
import { createPageReads } from "./reads/page-reads.ts";
import { createPointReads } from "./reads/point-reads.ts";
import { createSearchIndex } from "./reads/search-index.ts";
import { verifyLog } from "./reads/verify.ts";
import { createBlobs } from "./writer/blobs.ts";
import { createLogWrites } from "./writer/log-writes.ts";
import { createPublisher } from "./writer/publisher.ts";
import { sweepBlobs } from "./writer/sweep.ts";

const READ_WAIT_MAX_MS = 1000;
const UNDER_WAY_MAX_MS = 2500;
const SEARCH_PAUSE_MS = 500;

/** The PostgreSQL store: the log, its derived data and its blobs in one schema. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const database = await openDatabase(options);
  const { defined, writer, use, sql, lease } = database;
  const reads = createPageReads(sql);
  const derived = createDerivedReads(use);
  const blobs = createBlobs(use);
  const search = createSearchIndex(use, defined);
  const cache = createFoldCache();
  const folds = createFolds(defined, reads, use, cache);
  const listeners = createListeners();
  const underWay = createUnderWay();
  const exports = createExports(exportLog(sql, blobs.get));
  const closing = new AbortController();
  const publisher = createPublisher({
    after: await reads.lastSeq(),
    read: async (after, limit) => (await reads.all({ after, limit })).events,
    listeners,
  });
  const news = startNews({ ...database, isOwn: writer.isOwn, heard: publisher.heard });
  const writes = createLogWrites({ defined, reads, folds, cache, writer, lease, publisher });

  const close = async (): Promise<void> => {
    closing.abort();
    await exports.close();
    await underWay.close(UNDER_WAY_MAX_MS);
    await writer.close();
    await Promise.all([news.close(), publisher.close()]);
    await database.close(READ_WAIT_MAX_MS);
  };
  let closed: Promise<void> | null = null;
  const { run } = underWay;

  return {
    ...createPointReads(sql, reads, run),
    definitions: defined,
    append: (parts, given) => run(() => writes.append(parts, given)),
    erase: (stream, ids, event, given) => run(() => writes.erase(stream, ids, event, given)),
    fold: (of, id, atVersion) =>
      run(async () => (await folds.asOf(streamOf(of, id), atVersion)).state as ReturnType<typeof of.empty>),
    foldStream: (stream, atVersion) => run(() => folds.asOf(stream, atVersion)),
    tail: ({ after, stream, signal }) => {
      const until = AbortSignal.any([signal, closing.signal]);
      const read = (cursor: number, limit: number): Promise<EventPage> =>
        stream === undefined ? reads.all({ after: cursor, limit }) : reads.stream(stream, { after: cursor, limit });
      const page = (cursor: number, limit: number) =>
        untilReachable(() => read(cursor, limit), until, { events: [], next: cursor });
      return tail({ page, onAppend: listeners.add, stream }, after, until);
    },
    onAppend: listeners.add,
    search: (text, limit, { kind }) => run(() => search.search(text, limit, kind)),
    searchFollower: {
      name: "search",
      pauseMs: SEARCH_PAUSE_MS,
      position: () => run(search.position),
      advance: () => run(search.advance),
      restart: () => run(search.restart),
    },
    setCursor: (name, at, { fence }) =>
      run(() => writer.write({ ...NOTHING, fence, cursor: { name, at } }, () => undefined)),
    dropCursor: (name, { fence }) =>
      run(() => writer.write({ ...NOTHING, fence, cursor: { name, at: null } }, () => undefined)),
    putBlob: (bytes, mayKeep) =>
      run(async () => {
        if (bytes.length > LIMITS.artifactBytes)
          throw new StoreError("payload_too_large", { maxBytes: LIMITS.artifactBytes });
        return blobs.put(bytes, mayKeep);
      }),
    blob: (sha256) => run(() => blobs.get(sha256)),
    // The server manages its own write-ahead log.
    walBytes: () => 0,
    copyTo: (folder, progress) => run(() => copyLog(use, defined, folder, progress, closing.signal)),
    sweepBlobs: (sweep) => run(() => sweepBlobs(use, sweep)),
    // PostgreSQL's autovacuum makes the freed space reusable.
    giveBack: async () => undefined,
    verify: (progress) => run(() => verifyLog(sql, progress ?? noProgress)),
    exportBundle: (request) => run(() => exports.run(request)),
    rebuild: (repair, progress) =>
      run(async () => {
        const { repair: changes, ...report } = await compareModels(defined, derived, progress ?? noProgress);
        if (repair === null) return report;
        await writer.write({ ...NOTHING, fence: repair.fence, repair: changes }, () => cache.clear());
        return report;
      }),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function noProgress(): void {
  return;
}
