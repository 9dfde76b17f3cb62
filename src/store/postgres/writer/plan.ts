import { hashEvent, NO_PREV } from "../../../kernel/index.ts";
import { hexOf, sha256 } from "../../log/encoding.ts";
import {
  type CursorWrite,
  checkExpected,
  type Erasure,
  type Repair,
  type WriteEvent,
  type WritePart,
  type WriteReply,
  type WriteRequest,
  type WrittenEvent,
} from "../../log/write-request.ts";
import { bytesOf, checkQuota, NO_USAGE, sum, type Taken, totalBytes } from "../../models/quota.ts";
import { mergeRow, type RowWrite } from "../../models/rows.ts";

/** The end of the log as the transaction found it, or as it leaves it. */
export interface LogHead {
  readonly seq: number;
  /** How many streams there are: the next one gets the next number. */
  readonly streams: number;
  readonly fence: number;
}

/** A stream's last event: what the next one is linked to. */
export interface StreamHead {
  readonly no: number;
  readonly version: number;
  readonly hash: Uint8Array;
  /** Its bytes are those that were written. A chain is not continued from a link that has changed. */
  readonly isWhole: boolean;
  readonly usage: Taken;
  /** The number of the stream that it draws on; and of that, what everything takes up that draws on it. */
  readonly account: number;
  readonly familyBytes: number;
}

/** All that a batch depends on, read under the log's lock. */
export interface Known {
  readonly head: LogHead;
  readonly streamHead: (stream: string) => StreamHead | null;
  /** By key, what was asked for; both in hex. */
  readonly calls: ReadonlyMap<string, string>;
  /** Of events that forks continue, by `placeOf`. */
  readonly hashes: ReadonlyMap<string, Uint8Array>;
  readonly goneBlobs: ReadonlySet<string>;
  /** Of blobs that are there and that nobody has brought yet: what they take up. */
  readonly newBlobs: ReadonlyMap<string, number>;
  /** What the whole log takes up. */
  readonly home: Taken;
  /** Positions of events that are to be erased, by id. */
  readonly erasable: ReadonlyMap<string, number>;
  /** Who else holds the lease, if a fence is to be taken. */
  readonly rival: string | null;
}

export interface EventInsert {
  readonly seq: number;
  readonly stream: number;
  readonly version: number;
  readonly prev: Uint8Array;
  readonly hash: Uint8Array;
  readonly event: WriteEvent;
}

/** What a batch writes. Of everything that can be written twice, only the last. */
export interface Plan {
  readonly replies: readonly WriteReply[];
  readonly head: LogHead;
  readonly streamHeads: ReadonlyMap<string, StreamHead>;
  readonly home: Taken;
  readonly brought: readonly { readonly blob: string; readonly stream: number; readonly bytes: number }[];
  readonly newStreams: readonly { readonly no: number; readonly name: string }[];
  readonly events: readonly EventInsert[];
  readonly rows: readonly RowWrite[];
  readonly snapshots: readonly { readonly stream: number; readonly version: number; readonly state: string }[];
  readonly calls: readonly {
    readonly key: string;
    readonly request: string;
    readonly first: number;
    readonly last: number;
  }[];
  readonly erasure: (Erasure & { readonly seqs: readonly number[] }) | null;
  readonly repair: Repair | null;
  readonly cursors: readonly CursorWrite[];
  /** As they are before and behind the batch: one with a repair appends nothing. */
  readonly versions: (stream: string) => number;
}

export function placeOf(place: { readonly stream: string; readonly version: number }): string {
  return `${place.version} ${place.stream}`;
}

/** Decides on each request in order of arrival, with what those before it bring. A refused one leaves no trace. */
export function planBatch(requests: readonly WriteRequest[], known: Known): Plan {
  let { seq, streams, fence } = known.head;
  const streamHeads = new Map<string, StreamHead>();
  const hashes = new Map<string, Uint8Array>();
  let { home } = known;
  const brought = new Map<string, Plan["brought"][number]>();
  const calls = new Map<string, Plan["calls"][number]>();
  const newStreams: { readonly no: number; readonly name: string }[] = [];
  const events: EventInsert[] = [];
  const rows = new Map<string, RowWrite>();
  const snapshots: { readonly stream: number; readonly version: number; readonly state: string }[] = [];
  let erasure: Plan["erasure"] = null;
  let repair: Repair | null = null;
  const cursors = new Map<string, CursorWrite>();

  const headOf = (stream: string): StreamHead | null => streamHeads.get(stream) ?? known.streamHead(stream);
  const versionOf = (stream: string): number => headOf(stream)?.version ?? 0;
  const hashAt = (place: { readonly stream: string; readonly version: number }): Uint8Array | undefined =>
    hashes.get(placeOf(place)) ?? known.hashes.get(placeOf(place));

  const check = (request: WriteRequest): WriteReply | null => {
    const taken = request.parts.flatMap((part) => part.events).find((event) => event.takesFence !== null)?.takesFence;
    if (taken != null && known.rival !== null)
      return { refused: "stale_fence", details: { fence: request.fence, current: fence, heldBy: known.rival } };
    if (request.fence !== (taken ?? fence) || (taken != null && taken <= fence))
      return { refused: "stale_fence", details: { fence: request.fence, current: fence } };
    if (request.call !== null) {
      const asked = calls.get(request.call.key)?.request ?? known.calls.get(request.call.key);
      if (asked === request.call.request)
        return { refused: "stale_version", details: { reason: "this call has already run" } };
      if (asked !== undefined) return { refused: "idempotency_key_reused", details: {} };
    }
    const unknown = request.erase?.events.find(({ id }) => !known.erasable.has(id));
    if (unknown !== undefined) return { refused: "event_not_found", details: { id: unknown.id } };
    for (const part of request.parts) {
      const refusal = checkPart(part);
      if (refusal !== null) return refusal;
    }
    const moved = checkExpected(request.expect, versionOf);
    if (moved !== null) return moved;
    const used = (account: string) => headOf(account)?.familyBytes ?? 0;
    const blobBytes = ({ blobs }: WriteEvent) => blobs.reduce((total, blob) => total + (newBytes(blob) ?? 0), 0);
    return request.quota === null
      ? null
      : checkQuota(request.quota, request.parts, { home: totalBytes(home), used, blobBytes });
  };

  /** Null when it counts for somebody already, or is not there. */
  const newBytes = (blob: string): number | null => (brought.has(blob) ? null : (known.newBlobs.get(blob) ?? null));
  const takenUp = (no: number, event: WriteEvent): Taken => {
    let blobBytes = 0;
    for (const blob of event.blobs) {
      const bytes = newBytes(blob);
      if (bytes === null) continue;
      brought.set(blob, { blob, stream: no, bytes });
      blobBytes += bytes;
    }
    return { events: 1, bytes: bytesOf(event), blobBytes };
  };

  const checkPart = ({ stream, expectedVersion, continues, events }: WritePart): WriteReply | null => {
    if (continues !== null && hashAt(continues) === undefined)
      return { refused: "event_not_found", details: { ...continues } };
    const head = headOf(stream);
    if (head?.isWhole === false)
      return { refused: "log_corrupt", details: { stream, version: head.version, problem: "hash_mismatch" } };
    const found = head?.version ?? 0;
    if (found !== expectedVersion)
      return { refused: "stale_version", details: { stream, expected: expectedVersion, found } };
    const blob = events.flatMap(({ blobs }) => blobs).find((name) => known.goneBlobs.has(name));
    return blob === undefined ? null : { refused: "blob_missing", details: { blob } };
  };

  const write = (request: WriteRequest): WriteReply => {
    const refusal = check(request);
    if (refusal !== null) return refusal;
    const { erase, call } = request;
    if (erase !== null) erasure = { ...erase, seqs: erase.events.map(({ id }) => known.erasable.get(id) ?? 0) };
    if (request.repair !== null) repair = request.repair;
    if (request.cursor !== null) cursors.set(request.cursor.name, request.cursor);
    const first = seq + 1;
    const written = request.parts.flatMap(writePart);
    if (call !== null && written.length > 0) calls.set(call.key, { ...call, first, last: seq });
    return { ok: written, unscrubbed: null };
  };

  const writePart = (part: WritePart): readonly WrittenEvent[] => {
    const before = headOf(part.stream);
    const no = before?.no ?? newStream(part.stream);
    let { version, hash: prev } = before ?? { version: 0, hash: firstPrev(part) };
    let usage = NO_USAGE;
    const written = part.events.map((event) => {
      seq += 1;
      version += 1;
      const hash = hashEvent(sha256, prev, event.header);
      events.push({ seq, stream: no, version, prev, hash, event });
      usage = sum(usage, takenUp(no, event));
      hashes.set(placeOf({ stream: part.stream, version }), hash);
      fence = event.takesFence ?? fence;
      const place = { seq, prev: hexOf(prev), hash: hexOf(hash) };
      prev = hash;
      return place;
    });
    home = sum(home, usage);
    const root = part.account === part.stream ? null : headOf(part.account);
    const account = before?.account ?? root?.no ?? no;
    const all = sum(before?.usage ?? NO_USAGE, usage);
    const familyBytes = (before?.familyBytes ?? 0) + (account === no ? totalBytes(usage) : 0);
    streamHeads.set(part.stream, { no, version, hash: prev, isWhole: true, usage: all, account, familyBytes });
    if (root !== null && account === root.no)
      streamHeads.set(part.account, { ...root, familyBytes: root.familyBytes + totalBytes(usage) });
    for (const row of part.rows) mergeRow(rows, row);
    if (part.snapshot !== null) snapshots.push({ stream: no, version, state: part.snapshot });
    return written;
  };

  const newStream = (name: string): number => {
    streams += 1;
    newStreams.push({ no: streams, name });
    return streams;
  };

  const firstPrev = ({ continues }: WritePart): Uint8Array =>
    (continues === null ? null : hashAt(continues)) ?? NO_PREV;

  const replies = requests.map(write);
  return {
    replies,
    head: { seq, streams, fence },
    streamHeads,
    home,
    brought: [...brought.values()],
    newStreams,
    events,
    rows: [...rows.values()],
    snapshots,
    calls: [...calls.values()],
    erasure,
    repair,
    cursors: [...cursors.values()],
    versions: versionOf,
  };
}
