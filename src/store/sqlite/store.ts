import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { type Folded, LIMITS, streamOf } from "../../kernel/index.ts";
import { createExports } from "../bundle/exports.ts";
import { loadDefinitions } from "../definitions.ts";
import { blobPath, createBlobs } from "../files/blobs.ts";
import { eraseRequest } from "../log/erase-data.ts";
import { createListeners } from "../log/listeners.ts";
import { createSalts, type Prepared, prepare, recorded, withCause } from "../log/prepare-append.ts";
import { createTurns } from "../log/shared-or-alone.ts";
import { tail } from "../log/tail.ts";
import { conditionsOf, NOTHING } from "../log/write-request.ts";
import { createFoldCache } from "../models/fold-cache.ts";
import {
  type AppendOptions,
  type AppendPart,
  type CallRef,
  type RecordedEvent,
  type Store,
  StoreError,
  type StoreErrorCode,
} from "../port.ts";
import { copyInThread } from "./copying/copy-client.ts";
import { exportInThread } from "./copying/export-client.ts";
import { rawOfStream } from "./copying/raw-events.ts";
import { makeHome } from "./opening/make-home.ts";
import { startReader } from "./reader/reader-client.ts";
import { foldCold, foldStream } from "./reads/fold-stream.ts";
import { createPageReads } from "./reads/page-reads.ts";
import { openForReading } from "./tables/schema.ts";
import { createStatements } from "./tables/statements.ts";
import { type BlobFile, oldBlobs, removeTorn, sizeIfOld } from "./writer/blob-sweep.ts";
import { startWriter } from "./writer/writer-client.ts";

export interface SqliteStoreOptions {
  readonly home: string;
  /** A flush failed: the process must end, and start again from what is on disk. */
  readonly onFatal: (error: StoreError) => void;
  readonly checkpointPages?: number;
  /** The module with the list of aggregates, when it is not the house's own. */
  readonly definitions?: string | null;
}

const CHECKPOINT_PAGES = 4096;

/** The embedded store: one SQLite file, one writer thread, one reader thread, point reads here. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const path = logPath(options.home);
  const blobFolder = join(options.home, "blobs");
  makeHome(options.home, path);
  const module = options.definitions ?? null;
  const defined = await loadDefinitions(module);
  const writer = await startWriter(
    { path, blobFolder, definitions: module, checkpointPages: options.checkpointPages ?? CHECKPOINT_PAGES },
    options.onFatal,
  );
  const db = await openForReadingOr(path, writer.close);
  const reads = createPageReads(db);
  const sql = createStatements(db);
  const reader = startReader({ path, searchPath: join(options.home, "search.db"), blobFolder, definitions: module });
  const exports = createExports(exportInThread({ path, blobFolder }));
  const blobs = createBlobs(blobFolder);
  const folds = createFoldCache();
  const newSalt = createSalts();
  const listeners = createListeners();
  const closing = new AbortController();
  /** What a copy is made of must not be erased under it. */
  const erasing = createTurns();
  /** Nor may a blob be swept while somebody brings it. */
  const bringing = createTurns();

  const foldNow = (stream: string): Folded => {
    const known = folds.get(stream);
    const folded = known === undefined ? foldCold(defined, reads, stream) : foldOn(stream, known);
    folds.set(stream, folded);
    return folded;
  };
  const foldOn = (stream: string, known: Folded): Folded => {
    const version = reads.version(stream);
    return known.state.version <= version
      ? foldStream(defined, reads, stream, version, known)
      : foldCold(defined, reads, stream);
  };
  /** What this process wrote last is what the writer will find, or else the writer refuses. */
  const foldAt = (stream: string, version: number): Folded => {
    const known = folds.get(stream);
    return known?.state.version === version ? known : foldNow(stream);
  };

  const foldAsOf = async (stream: string, atVersion?: number): Promise<Folded> =>
    atVersion === undefined ? foldNow(stream) : foldStream(defined, reads, stream, atVersion);

  const publish = (events: readonly RecordedEvent[]): readonly RecordedEvent[] => {
    listeners.tell(events);
    return events;
  };

  const append = async (parts: readonly AppendPart[], given: AppendOptions): Promise<readonly RecordedEvent[]> => {
    const prepared = parts.map((part, at): Prepared => {
      const { stream, expectedVersion } = part;
      const before = part.before ?? foldAt(stream, expectedVersion);
      const isTwice = parts.findIndex((other) => other.stream === stream) !== at;
      if (before.state.version !== expectedVersion || isTwice || folds.isSuspended(stream))
        throw new StoreError("stale_version", { stream, expected: expectedVersion, found: before.state.version });
      return prepare(defined, part, before, given.call ?? null, newSalt);
    });
    const reply = await writer.write({
      ...NOTHING,
      ...conditionsOf(given),
      parts: prepared.map((entry) => entry.write),
    });
    for (const { write, after } of prepared) folds.set(write.stream, after);
    return publish(recorded(prepared, reply.ok));
  };

  const eraseNow: Store["erase"] = async (stream, ids, event, given) => {
    const { seqs, ...prepared } = await eraseRequest(
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
    const { fence } = given;
    const write = {
      ...NOTHING,
      ...conditionsOf(given),
      parts: [prepared.write],
      erase: prepared.erase,
      scrub: true,
    };
    const { events, unscrubbed } = await bringing.alone(async () => {
      try {
        const reply = await writer.write(write);
        // In the same breath as the answer, as an append does it: listeners hear of everything in order of commits.
        folds.resume(stream);
        folds.set(stream, prepared.after);
        return { events: publish(recorded([prepared], reply.ok)), unscrubbed: reply.unscrubbed };
      } finally {
        folds.resume(stream);
      }
    });
    await reader.forget(seqs);
    await scrub(unscrubbed, fence, ids);
    return events;
  };

  /** Readers that are slow are waited for here, where nobody else has to wait with them. */
  const scrub = async (unscrubbed: StoreErrorCode | null, fence: number, ids: readonly string[]): Promise<void> => {
    let left = unscrubbed;
    for (let tries = 0; left !== null && tries < SCRUB_TRIES; tries += 1) {
      await setTimeout(SCRUB_AGAIN_MS);
      left = (await writer.write({ ...NOTHING, fence, scrub: true })).unscrubbed;
    }
    if (left !== null) throw new StoreError(left, { erased: ids, ...UNSCRUBBED });
  };

  const sweepBlobs: Store["sweepBlobs"] = async ({ fence, minAgeMs, dryRun }) => {
    let [blobs, bytes] = [0, 0];
    const isOld = async ({ name }: BlobFile) => (await sizeIfOld(blobPath(blobFolder, name), minAgeMs)) !== null;
    for await (const found of oldBlobs(blobFolder, minAgeMs, reads.isNamed)) {
      const gone = dryRun
        ? found
        : await bringing.alone(async () => {
            const still = [];
            for (const file of found) if (await isOld(file)) still.push(file);
            await writer.write({ ...NOTHING, fence, sweep: still.map(({ name }) => name), scrub: true });
            return still.filter(({ name }) => !existsSync(blobPath(blobFolder, name)));
          });
      blobs += gone.length;
      bytes += gone.reduce((sum, file) => sum + file.bytes, 0);
    }
    if (!dryRun) await bringing.alone(() => removeTorn(blobFolder, minAgeMs));
    return { blobs, bytes };
  };

  /** In portions, because everybody who appends waits for each. */
  const giveBack: Store["giveBack"] = async (fence) => {
    for (let left = reads.freePages(); left > 0; ) {
      await writer.write({ ...NOTHING, fence, vacuumPages: VACUUM_PAGES });
      const now = reads.freePages();
      if (now >= left) break;
      left = now;
    }
    await writer.write({ ...NOTHING, fence, scrub: true });
  };

  const close = async (): Promise<void> => {
    closing.abort();
    await exports.close();
    await writer.finish();
    await reader.close();
    db.close();
    // Last, because the last one to leave clears away the write-ahead log, and readers may not.
    await writer.close();
  };
  let closed: Promise<void> | null = null;

  return {
    append,
    findCall: async (call: CallRef) => {
      const found = reads.call(call.keyHash);
      if (found === null) return null;
      if (call.requestHash !== found.request) throw new StoreError("idempotency_key_reused");
      return reads.between(found.first, found.last);
    },
    definitions: defined,
    fold: async (of, id, atVersion) =>
      (await foldAsOf(streamOf(of, id), atVersion)).state as ReturnType<typeof of.empty>,
    foldStream: foldAsOf,
    readStream: async (stream, query) => reads.stream(stream, query),
    readAll: async (query) => reads.all(query),
    rawStream: async (stream, after, limit) => rawOfStream(sql, stream, after, limit),
    event: async (id) => reads.event(id),
    version: async (stream) => reads.version(stream),
    seqAt: async (stream, version) => reads.seqAt(stream, version),
    lastSeq: async () => reads.lastSeq(),
    hashesAfter: async (seq, limit) => reads.hashesAfter(seq, limit),
    tail: ({ after, stream, signal }) => {
      const page = (cursor: number, limit: number) =>
        stream === undefined ? reads.all({ after: cursor, limit }) : reads.stream(stream, { after: cursor, limit });
      const news = (until: AbortSignal) => listeners.heard(stream, until);
      return tail({ page, news }, after, AbortSignal.any([signal, closing.signal]));
    },
    onAppend: listeners.add,
    row: async (list, id) => reads.row(list, id),
    rows: async (list, query) => reads.rows(list, query),
    count: async (list, where) => reads.count(list, where),
    counts: (list, by, where) => reader.counts(list.name, by, where),
    search: (text, limit, { kind }) => reader.search(text, limit, kind),
    searchFollower: reader.searchFollower,
    cursor: async (name) => reads.cursor(name),
    setCursor: async (name, at, { fence }) => void (await writer.write({ ...NOTHING, fence, cursor: { name, at } })),
    dropCursor: async (name, { fence }) => void (await writer.write({ ...NOTHING, fence, cursor: { name, at: null } })),
    putBlob: async (bytes, mayKeep) => {
      if (bytes.length > LIMITS.artifactBytes)
        throw new StoreError("payload_too_large", { maxBytes: LIMITS.artifactBytes });
      return bringing.shared(() => blobs.put(bytes, mayKeep));
    },
    blob: blobs.get,
    erase: (stream, ids, event, given) => erasing.shared(() => eraseNow(stream, ids, event, given)),
    usage: async (stream) => reads.usage(stream),
    files: async () => ({
      databaseBytes: sizeOf(path),
      searchBytes: sizeOf(join(options.home, "search.db")),
    }),
    walBytes: () => sizeOf(`${path}-wal`),
    copyTo: (folder, progress) =>
      erasing.alone(() => copyInThread({ path, blobFolder, folder }, progress, closing.signal)),
    blobUse: async (sha256) => {
      const bytes = BLOB.test(sha256) ? await sizeIfOld(blobPath(blobFolder, sha256), 0) : null;
      return bytes === null ? null : { names: reads.namesOf(sha256), bytes };
    },
    sweepBlobs,
    giveBack,
    verify: reader.verify,
    exportBundle: exports.run,
    rebuild: async (repair, progress) => {
      const { repair: changes, ...report } = await reader.compare(progress);
      if (repair === null) return report;
      await writer.write({ ...NOTHING, fence: repair.fence, repair: changes });
      folds.clear();
      return report;
    },
    unfilledLists: async () => reads.unfilledLists(),
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

/** What has been started is ended when the rest cannot be. */
async function openForReadingOr(path: string, giveUp: () => Promise<void>): Promise<DatabaseSync> {
  try {
    return openForReading(path);
  } catch (cause) {
    await giveUp();
    throw cause;
  }
}

const BLOB = /^[0-9a-f]{64}$/;
const VACUUM_PAGES = 1024;
const SCRUB_TRIES = 20;
const SCRUB_AGAIN_MS = 100;
const UNSCRUBBED = {
  reason: "the data is erased, but its bytes stay in the files until there is space and no reader is active",
};
