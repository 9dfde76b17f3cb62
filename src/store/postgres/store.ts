import { type Folded, LIMITS, streamOf } from "../../kernel/index.ts";
import { createExports } from "../bundle/exports.ts";
import { number } from "../log/encoding.ts";
import { eraseRequest } from "../log/erase-data.ts";
import { createListeners } from "../log/listeners.ts";
import { createSalts, type Prepared, prepare, recorded, withCause } from "../log/prepare-append.ts";
import { tail } from "../log/tail.ts";
import { conditionsOf, NOTHING } from "../log/write-request.ts";
import { compareModels } from "../models/compare-models.ts";
import { createFoldCache } from "../models/fold-cache.ts";
import { type AppendPart, type EventPage, type RecordedEvent, type Store, StoreError } from "../port.ts";
import { startNews } from "./connection/news.ts";
import { openDatabase, type PostgresStoreOptions } from "./connection/open-database.ts";
import { createUnderWay } from "./connection/under-way.ts";
import { untilReachable } from "./connection/until-reachable.ts";
import { copyLog } from "./copying/copy.ts";
import { exportLog, rawOfStream } from "./copying/export.ts";
import { createDerivedReads } from "./reads/derived-reads.ts";
import { foldCold, foldStream } from "./reads/fold-stream.ts";
import { createPageReads } from "./reads/page-reads.ts";
import { createSearchIndex } from "./reads/search-index.ts";
import { verifyLog } from "./reads/verify.ts";
import { createBlobs } from "./writer/blobs.ts";
import { createPublisher } from "./writer/publisher.ts";
import { sweepBlobs } from "./writer/sweep.ts";

const READ_WAIT_MAX_MS = 1000;
const UNDER_WAY_MAX_MS = 2500;
const SEARCH_PAUSE_MS = 500;

/** The fleet's store: the log, what is derived from it and its blobs in one schema of a PostgreSQL database. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const database = await openDatabase(options);
  const { defined, writer, use, sql } = database;
  const reads = createPageReads(sql);
  const derived = createDerivedReads(use);
  const blobs = createBlobs(use);
  const search = createSearchIndex(use, defined);
  const folds = createFoldCache();
  const newSalt = createSalts();
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
  /** Raised with every erasure: what was read before it may hold what is erased now. */
  let erasures = 0;

  const foldNow = async (stream: string): Promise<Folded> => {
    const at = erasures;
    const known = folds.get(stream);
    const version = await reads.version(stream);
    const usable = known !== undefined && known.state.version <= version ? known : undefined;
    const isWarm = version === 0 || usable !== undefined;
    const folded = await (isWarm
      ? foldStream(defined, reads, stream, version, usable)
      : foldCold(defined, use, stream));
    const newest = folds.get(stream)?.state.version ?? 0;
    if (at === erasures && newest <= folded.state.version) folds.set(stream, folded);
    return folded;
  };

  const foldAsOf = (stream: string, atVersion?: number): Promise<Folded> =>
    atVersion === undefined ? foldNow(stream) : foldStream(defined, reads, stream, atVersion);

  /** What this process wrote last is what the writer will find, or else the writer refuses. */
  const foldAt = async (stream: string, version: number): Promise<Folded> => {
    const known = folds.get(stream);
    return known?.state.version === version ? known : foldNow(stream);
  };

  /** Called in order of commits. */
  const publish = (prepared: readonly Prepared[], places: Parameters<typeof recorded>[1]): readonly RecordedEvent[] => {
    for (const { write, after } of prepared) folds.set(write.stream, after);
    const events = recorded(prepared, places);
    publisher.own(events);
    return events;
  };

  const append: Store["append"] = async (parts, given) => {
    const prepared: Prepared[] = [];
    for (const part of parts) {
      const { stream, expectedVersion } = part;
      const before = part.before ?? (await foldAt(stream, expectedVersion));
      if (before.state.version !== expectedVersion || isTwice(parts, part) || folds.isSuspended(stream))
        throw new StoreError("stale_version", { stream, expected: expectedVersion, found: before.state.version });
      prepared.push(prepare(defined, part, before, given.call ?? null, newSalt));
    }
    const write = { ...NOTHING, ...conditionsOf(given), parts: prepared.map((entry) => entry.write) };
    return writer.write(write, ({ ok }) => {
      const taken = write.parts.flatMap(({ events }) => events).findLast(({ takesFence }) => takesFence !== null);
      if (taken?.takesFence != null) database.lease?.holdFence(taken.takesFence);
      return publish(prepared, ok);
    });
  };

  const erase: Store["erase"] = async (stream, ids, event, given) => {
    const { seqs: _, ...prepared } = await eraseRequest(
      defined,
      reads,
      stream,
      ids,
      withCause(event, given.call ?? null),
      newSalt,
    );
    if (folds.isSuspended(stream))
      throw new StoreError("stale_version", { stream, reason: "an erasure of this stream is running" });
    folds.suspend(stream);
    erasures += 1;
    const { erase, write: part } = prepared;
    const write = { ...NOTHING, ...conditionsOf(given), parts: [part], erase };
    try {
      return await writer.write(write, ({ ok }) => {
        folds.resume(stream);
        return publish([prepared], ok);
      });
    } finally {
      folds.resume(stream);
      erasures += 1;
    }
  };

  const follow: Store["tail"] = ({ after, stream, signal }) => {
    const until = AbortSignal.any([signal, closing.signal]);
    const read = (cursor: number, limit: number): Promise<EventPage> =>
      stream === undefined ? reads.all({ after: cursor, limit }) : reads.stream(stream, { after: cursor, limit });
    return tail(
      {
        page: (cursor, limit) => untilReachable(() => read(cursor, limit), until, { events: [], next: cursor }),
        news: (waiting) => listeners.heard(stream, waiting),
      },
      after,
      until,
    );
  };

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
    append: (parts, given) => run(() => append(parts, given)),
    findCall: (call) =>
      run(async () => {
        const found = await reads.call(call.keyHash);
        if (found === null) return null;
        if (call.requestHash !== found.request) throw new StoreError("idempotency_key_reused");
        return reads.between(found.first, found.last);
      }),
    definitions: defined,
    fold: (of, id, atVersion) =>
      run(async () => (await foldAsOf(streamOf(of, id), atVersion)).state as ReturnType<typeof of.empty>),
    foldStream: (stream, atVersion) => run(() => foldAsOf(stream, atVersion)),
    readStream: (stream, query) => run(() => reads.stream(stream, query)),
    readAll: (query) => run(() => reads.all(query)),
    rawStream: (stream, after, limit) => run(() => rawOfStream(sql, stream, after, limit)),
    event: (id) => run(() => reads.event(id)),
    version: (stream) => run(() => reads.version(stream)),
    seqAt: (stream, version) => run(() => reads.seqAt(stream, version)),
    lastSeq: () => run(reads.lastSeq),
    hashesAfter: (seq, limit) => run(() => reads.hashesAfter(seq, limit)),
    tail: follow,
    onAppend: listeners.add,
    row: (list, id) => run(() => reads.row(list, id)),
    rows: (list, query) => run(() => reads.rows(list, query)),
    count: (list, where) => run(() => reads.count(list, where)),
    counts: (list, by, where) => run(() => reads.counts(list, by, where)),
    search: (text, limit, { kind }) => run(() => search.search(text, limit, kind)),
    searchFollower: {
      name: "search",
      pauseMs: SEARCH_PAUSE_MS,
      position: () => run(search.position),
      advance: () => run(search.advance),
      restart: () => run(search.restart),
    },
    cursor: (name) => run(() => reads.cursor(name)),
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
    erase: (stream, ids, event, given) => run(() => erase(stream, ids, event, given)),
    usage: (stream) => run(() => reads.usage(stream)),
    files: () => run(reads.files),
    // Its own write-ahead log is the server's to look after.
    walBytes: () => 0,
    copyTo: (folder, progress) => run(() => copyLog(use, defined, folder, progress, closing.signal)),
    blobUse: (sha256) =>
      run(async () => {
        if (!/^[0-9a-f]{64}$/.test(sha256)) return null;
        const [found] = await sql(BLOB_USE, Buffer.from(sha256, "hex"));
        return found === undefined ? null : { names: number(found["names"]), bytes: number(found["bytes"]) };
      }),
    sweepBlobs: (sweep) => run(() => sweepBlobs(use, sweep)),
    // PostgreSQL does that itself, when its autovacuum comes by: what was freed is used again.
    giveBack: async () => undefined,
    verify: (progress) => run(() => verifyLog(sql, progress ?? noProgress)),
    exportBundle: (request) => run(() => exports.run(request)),
    rebuild: (repair, progress) =>
      run(async () => {
        const { repair: changes, ...report } = await compareModels(defined, derived, progress ?? noProgress);
        if (repair === null) return report;
        await writer.write({ ...NOTHING, fence: repair.fence, repair: changes }, () => folds.clear());
        return report;
      }),
    unfilledLists: () => run(reads.unfilledLists),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

const BLOB_USE =
  "SELECT octet_length(packed) AS bytes, (SELECT count(*) FROM event_blobs e WHERE e.blob = b.blob) AS names FROM blobs b WHERE blob = $1";

function isTwice(parts: readonly AppendPart[], part: AppendPart): boolean {
  return parts.find(({ stream }) => stream === part.stream) !== part;
}

function noProgress(): void {
  return;
}
