import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Folded, LIMITS } from "../../kernel/index.ts";
import { createBlobs } from "../blobs.ts";
import {
  type AppendOptions,
  type AppendPart,
  type CallRef,
  type RecordedEvent,
  type Store,
  StoreError,
} from "../port.ts";
import { tail } from "../tail.ts";
import { eraseRequest } from "./erasing.ts";
import { createFoldCache } from "./fold-cache.ts";
import { foldStream } from "./folding.ts";
import { createPageReads } from "./page-reads.ts";
import { type Prepared, prepare, recorded } from "./preparing.ts";
import { startReader } from "./reader-client.ts";
import { openForReading } from "./schema.ts";
import { startWriter } from "./writer-client.ts";

export interface SqliteStoreOptions {
  readonly home: string;
  /** A flush failed: the process must end, and start again from what is on disk. */
  readonly onFatal: (error: StoreError) => void;
  readonly checkpointPages?: number;
}

/** The embedded store: one SQLite file, one writer thread, one reader thread, point reads here. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const path = logPath(options.home);
  mkdirSync(options.home, { recursive: true, mode: 0o700 });
  const writer = await startWriter({ path, checkpointPages: options.checkpointPages ?? 4096 }, options.onFatal);
  const db = openForReading(path);
  const reads = createPageReads(db);
  const reader = startReader({ path, searchPath: join(options.home, "search.db") });
  const blobs = createBlobs(join(options.home, "blobs"));
  const folds = createFoldCache();
  const listeners = new Set<(events: readonly RecordedEvent[]) => void>();

  const foldNow = (stream: string): Folded => {
    const version = reads.version(stream);
    const known = folds.get(stream);
    const folded = foldStream(
      reads,
      stream,
      version,
      known !== undefined && known.state.version <= version ? known : undefined,
    );
    folds.set(stream, folded);
    return folded;
  };

  const publish = (events: readonly RecordedEvent[]): readonly RecordedEvent[] => {
    for (const listener of listeners) listener(events);
    reader.index();
    return events;
  };

  const append = async (parts: readonly AppendPart[], given: AppendOptions): Promise<readonly RecordedEvent[]> => {
    const prepared = parts.map((part): Prepared => {
      const before = foldNow(part.stream);
      if (before.state.version !== part.expectedVersion)
        throw new StoreError("stale_version", {
          stream: part.stream,
          expected: part.expectedVersion,
          found: before.state.version,
        });
      return prepare(part, before, given.call ?? null);
    });
    const call = given.call == null ? null : { key: given.call.keyHash, request: given.call.requestHash };
    const reply = await writer.write({
      parts: prepared.map(({ write }) => write),
      fence: given.fence,
      call,
      erase: null,
    });
    for (const { write, after } of prepared) folds.set(write.stream, after);
    return publish(recorded(prepared, reply.ok));
  };

  return {
    append,
    findCall: async (call: CallRef) => {
      const found = reads.call(call.keyHash);
      if (found === null) return null;
      if (!Buffer.from(call.requestHash, "hex").equals(found.request)) throw new StoreError("idempotency_key_reused");
      return reads.between(found.first, found.last);
    },
    fold: async (stream, atVersion) =>
      atVersion === undefined ? foldNow(stream) : foldStream(reads, stream, atVersion),
    readStream: async (stream, query) => reads.stream(stream, query),
    readAll: async (query) => reads.all(query),
    event: async (id) => reads.event(id),
    version: async (stream) => reads.version(stream),
    seqAt: async (stream, version) => reads.seqAt(stream, version),
    lastSeq: async () => reads.lastSeq(),
    tail: ({ after, stream, signal }) => {
      const page = (cursor: number, limit: number) =>
        stream === undefined ? reads.all({ after: cursor, limit }) : reads.stream(stream, { after: cursor, limit });
      const news = (until: AbortSignal) => heard(listeners, stream, until);
      return tail({ page, news }, after, signal);
    },
    onAppend: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    row: async (model, id) => reads.row(model, id),
    rows: async (model, query) => reads.rows(model, query),
    sessionIdsLike: async (nameOrPrefix) => reads.sessionIdsLike(nameOrPrefix),
    tokenBySecretHash: async (secretHash) => reads.tokenBySecretHash(secretHash),
    search: reader.search,
    putBlob: (bytes) => {
      if (bytes.length > LIMITS.artifactBytes)
        throw new StoreError("payload_too_large", { maxBytes: LIMITS.artifactBytes });
      return blobs.put(bytes);
    },
    blob: blobs.get,
    erase: async (stream, ids, event, given) => {
      const prepared = await eraseRequest(reads, stream, ids, event);
      const reply = await writer.write({
        parts: [prepared.write],
        fence: given.fence,
        call: null,
        erase: prepared.erase,
      });
      folds.set(stream, prepared.after);
      for (const orphan of reply.orphans) await blobs.remove(orphan);
      return publish(recorded([prepared], reply.ok));
    },
    verify: reader.verify,
    rebuild: async (repair, progress) => {
      const { repair: changes, ...report } = await reader.compare(progress);
      if (repair !== null && !report.ok)
        await writer.write({ parts: [], fence: repair.fence, call: null, erase: null, repair: changes });
      return report;
    },
    close: async () => {
      await reader.close();
      await writer.close();
      db.close();
    },
  };
}

export function logPath(home: string): string {
  return join(home, "log.db");
}

/** Waits for the next append that matters here. */
function heard(
  listeners: Set<(events: readonly RecordedEvent[]) => void>,
  stream: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = (events: readonly RecordedEvent[]) => {
    if (stream === undefined || events.some((event) => event.stream === stream)) resolve();
  };
  listeners.add(listener);
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise.finally(() => listeners.delete(listener));
}
