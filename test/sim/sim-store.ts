import { createHash } from "node:crypto";
import { type EventPage, type EventQuery, type RecordedEvent, type Store, StoreError } from "../../src/store/index.ts";
import type { Chance } from "./chance.ts";
import type { Disk } from "./disk.ts";
import { pageOfRows } from "./rows.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** One run of the daemon, from its start to its death. A zombie was taken for dead and still sends. */
export interface Incarnation {
  dead: boolean;
  zombie: boolean;
}

export interface StoreFaults {
  readonly diskFull: number;
  /** The daemon dies right before an append is durable, or right after and before it is acknowledged. */
  readonly dieBefore: number;
  readonly dieAfter: number;
  readonly slowMs: number;
  readonly checkFence: boolean;
}

/** The store port on a disk in memory that is slow, sometimes full, and cut off by a crash at any point. */
export function createSimStore(
  disk: Disk,
  clock: VirtualClock,
  chance: Chance,
  faults: StoreFaults,
  life: Incarnation,
  die: () => void,
): Store {
  const listeners = new Set<(events: readonly RecordedEvent[]) => void>();
  const never = new Promise<never>(() => undefined);
  let line: Promise<unknown> = Promise.resolve();

  const append: Store["append"] = (parts, options) => {
    const mine = line.then(async () => {
      await clock.sleep(chance.below(faults.slowMs));
      if (life.dead && !life.zombie) return never;
      if (!life.dead && chance.happens(faults.dieBefore)) {
        die();
        return never;
      }
      if (chance.happens(faults.diskFull)) throw new StoreError("disk_full");
      const withCause = parts.map((part) => ({
        ...part,
        events: part.events.map((event) => ({
          ...event,
          cause:
            event.cause ?? (options.call == null ? null : `call:${options.call.keyHash}:${options.call.requestHash}`),
        })),
      }));
      const written = disk.write(withCause, options, faults.checkFence);
      if ("refused" in written)
        throw new StoreError(written.refused, written.stream === undefined ? {} : { stream: written.stream });
      if (!life.dead && chance.happens(faults.dieAfter)) {
        die();
        return never;
      }
      await clock.sleep(chance.below(faults.slowMs));
      if (life.dead && !life.zombie) return never;
      for (const listener of listeners) listener(written);
      return written;
    });
    line = mine.catch(() => undefined);
    return mine;
  };
  const unused = (): never => {
    throw new Error("not part of the simulation");
  };

  return {
    definitions: disk.definitions,
    append,
    findCall: async (call) => {
      const known = disk.calls.get(call.keyHash);
      if (known === undefined) return null;
      if (known.request !== call.requestHash) throw new StoreError("idempotency_key_reused");
      return disk.log.slice(known.first - 1, known.last);
    },
    fold: async (of, id, atVersion) => disk.fold(of, id, atVersion),
    foldStream: async (stream, atVersion) => disk.foldStream(stream, atVersion),
    readStream: async (stream, query) => pageOf(disk.streamOf(stream), query),
    readAll: async ({ after = 0, limit }) => ({ events: disk.log.slice(after, after + limit), next: null }),
    event: async (id) => disk.log.find((event) => event.id === id) ?? null,
    version: async (stream) => disk.streamOf(stream).length,
    seqAt: async (stream, version) => disk.streamOf(stream)[version - 1]?.seq ?? 0,
    lastSeq: async () => disk.log.length,
    hashesAfter: unused,
    tail: unused,
    onAppend: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    row: async (list, id) => JSON.parse(disk.row(list.name, id) ?? "null"),
    rows: async (list, query) => pageOfRows(disk, list, query),
    count: async (list, where = {}) => pageOfRows(disk, list, { where, limit: Number.POSITIVE_INFINITY }).length,
    counts: unused,
    files: unused,
    walBytes: () => 0,
    search: unused,
    searchFollower: { name: "search", pauseMs: 0, position: unused, advance: unused, restart: unused },
    cursor: unused,
    setCursor: unused,
    dropCursor: unused,
    putBlob: async (bytes) => {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      disk.blobs.set(sha256, bytes);
      return sha256;
    },
    blob: async (sha256) => disk.blobs.get(sha256) ?? null,
    erase: unused,
    usage: async () => ({ events: 0, bytes: 0, blobBytes: 0, familyBytes: 0 }),
    rawStream: unused,
    copyTo: unused,
    blobUse: unused,
    sweepBlobs: unused,
    giveBack: unused,
    verify: unused,
    exportBundle: unused,
    rebuild: unused,
    unfilledLists: async () => [],
    close: async () => undefined,
  };
}

function pageOf(
  all: readonly RecordedEvent[],
  { after = 0, before = Number.POSITIVE_INFINITY, descending, types, turnId, limit }: EventQuery,
): EventPage {
  const isAsked = ({ seq, type, data }: RecordedEvent) =>
    seq > after &&
    seq < before &&
    (types === undefined || types.includes(type) || types.includes(type.split("@", 1)[0] ?? "")) &&
    (turnId === undefined || Reflect.get(Object(data), "turnId") === turnId);
  const found = (descending === true ? all.toReversed() : all).filter(isAsked);
  const events = found.slice(0, limit);
  return { events, next: found.length > limit ? (events.at(-1)?.seq ?? null) : null };
}
