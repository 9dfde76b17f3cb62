import { hashEvent, NO_PREV } from "../../../domains/index.ts";
import { hexOf } from "../../log/encoding.ts";
import { sha256 } from "../../log/sha256.ts";
import {
  type CursorWrite,
  checkExpected,
  type Repair,
  type WriteEvent,
  type WritePart,
  type WriteReply,
  type WriteRequest,
  type WrittenEvent,
} from "../../log/write-request.ts";
import { bytesOf, checkQuota, NO_USAGE, sum, type Taken, totalBytes } from "../../models/quota.ts";
import { mergeRow, type RowWrite } from "../../models/rows.ts";
import { type EventInsert, type Known, type Plan, placeOf, type StreamHead } from "./plan.ts";

/**
 * Decides on the requests in order of arrival; each sees the changes of those before it. A refused request changes
 * nothing.
 */
export function planBatch(requests: readonly WriteRequest[], known: Known): Plan {
  const draft = newDraft(known);
  const replies = requests.map((request) => addRequest(draft, request));
  const { seq, streams, fence, streamHeads, home, newStreams, events, snapshots, erasure, repair } = draft;
  return {
    replies,
    head: { seq, streams, fence },
    streamHeads,
    home,
    brought: [...draft.brought.values()],
    newStreams,
    events,
    rows: [...draft.rows.values()],
    snapshots,
    calls: [...draft.calls.values()],
    erasure,
    repair,
    cursors: [...draft.cursors.values()],
    versions: (stream) => versionOf(draft, stream),
  };
}

/** The plan so far: the log as it will be after the requests handled up to now. */
interface Draft {
  readonly known: Known;
  seq: number;
  streams: number;
  fence: number;
  home: Taken;
  readonly streamHeads: Map<string, StreamHead>;
  readonly hashes: Map<string, Uint8Array>;
  readonly brought: Map<string, Plan["brought"][number]>;
  readonly calls: Map<string, Plan["calls"][number]>;
  readonly newStreams: Plan["newStreams"][number][];
  readonly events: EventInsert[];
  readonly rows: Map<string, RowWrite>;
  readonly snapshots: Plan["snapshots"][number][];
  readonly cursors: Map<string, CursorWrite>;
  erasure: Plan["erasure"];
  repair: Repair | null;
}

function newDraft(known: Known): Draft {
  const { seq, streams, fence } = known.head;
  return {
    ...{ known, seq, streams, fence, home: known.home, erasure: null, repair: null },
    ...{ streamHeads: new Map(), hashes: new Map(), brought: new Map(), calls: new Map() },
    ...{ newStreams: [], events: [], rows: new Map(), snapshots: [], cursors: new Map() },
  };
}

function headOf({ streamHeads, known }: Draft, stream: string): StreamHead | null {
  return streamHeads.get(stream) ?? known.streamHead(stream);
}

function versionOf(draft: Draft, stream: string): number {
  return headOf(draft, stream)?.version ?? 0;
}

function hashAt({ hashes, known }: Draft, place: Parameters<typeof placeOf>[0]): Uint8Array | undefined {
  return hashes.get(placeOf(place)) ?? known.hashes.get(placeOf(place));
}

function addRequest(draft: Draft, request: WriteRequest): WriteReply {
  const refusal = checkRequest(draft, request);
  if (refusal !== null) return refusal;
  const { erase, call, repair, cursor } = request;
  if (erase !== null)
    draft.erasure = { ...erase, seqs: erase.events.map(({ id }) => draft.known.erasable.get(id) ?? 0) };
  if (repair !== null) draft.repair = repair;
  if (cursor !== null) draft.cursors.set(cursor.name, cursor);
  const first = draft.seq + 1;
  const written = request.parts.flatMap((part) => addPart(draft, part));
  if (call !== null && written.length > 0) draft.calls.set(call.key, { ...call, first, last: draft.seq });
  return { ok: written, unscrubbed: null };
}

/** Checks all conditions of a request before it changes the draft. */
function checkRequest(draft: Draft, request: WriteRequest): WriteReply | null {
  return (
    checkFence(draft, request) ??
    checkCall(draft, request) ??
    checkErasure(draft, request) ??
    checkParts(draft, request) ??
    checkExpected(request.expect, (stream) => versionOf(draft, stream)) ??
    checkBounds(draft, request)
  );
}

function checkFence({ known, fence }: Draft, request: WriteRequest): WriteReply | null {
  const taken = request.parts.flatMap((part) => part.events).find((event) => event.takesFence !== null)?.takesFence;
  if (taken != null && known.rival !== null)
    return { refused: "stale_fence", details: { fence: request.fence, current: fence, heldBy: known.rival } };
  if (request.fence !== (taken ?? fence) || (taken != null && taken <= fence))
    return { refused: "stale_fence", details: { fence: request.fence, current: fence } };
  return null;
}

function checkCall({ calls, known }: Draft, { call }: WriteRequest): WriteReply | null {
  const asked = call === null ? undefined : (calls.get(call.key)?.request ?? known.calls.get(call.key));
  if (asked === undefined) return null;
  return asked === call?.request
    ? { refused: "stale_version", details: { reason: "this call has already run" } }
    : { refused: "idempotency_key_reused", details: {} };
}

function checkErasure({ known }: Draft, { erase }: WriteRequest): WriteReply | null {
  const unknown = erase?.events.find(({ id }) => !known.erasable.has(id));
  return unknown === undefined ? null : { refused: "event_not_found", details: { id: unknown.id } };
}

function checkParts(draft: Draft, { parts }: WriteRequest): WriteReply | null {
  for (const part of parts) {
    const refusal = checkPart(draft, part);
    if (refusal !== null) return refusal;
  }
  return null;
}

function checkPart(draft: Draft, { stream, expectedVersion, continues, events }: WritePart): WriteReply | null {
  if (continues !== null && hashAt(draft, continues) === undefined)
    return { refused: "event_not_found", details: { ...continues } };
  const head = headOf(draft, stream);
  if (head?.isWhole === false)
    return { refused: "log_corrupt", details: { stream, version: head.version, problem: "hash_mismatch" } };
  const found = head?.version ?? 0;
  if (found !== expectedVersion)
    return { refused: "stale_version", details: { stream, expected: expectedVersion, found } };
  const blob = events.flatMap(({ blobs }) => blobs).find((name) => draft.known.goneBlobs.has(name));
  return blob === undefined ? null : { refused: "blob_missing", details: { blob } };
}

function checkBounds(draft: Draft, { quota, parts }: WriteRequest): WriteReply | null {
  if (quota === null) return null;
  const account = (part: WritePart) => accountOf(draft, part);
  const used = (name: string | number) => headOf(draft, String(name))?.familyBytes ?? 0;
  const blobBytes = ({ blobs }: WriteEvent) => blobs.reduce((total, blob) => total + (newBytes(draft, blob) ?? 0), 0);
  return checkQuota(quota, parts, { home: totalBytes(draft.home), account, used, blobBytes });
}

/** A stream keeps its first account. A new stream joins the account of the stream that it names. */
function accountOf(draft: Draft, { stream, account }: WritePart): string {
  return (headOf(draft, stream) ?? headOf(draft, account))?.accountName ?? stream;
}

/** Null when the blob is already counted or does not exist. */
function newBytes({ brought, known }: Draft, blob: string): number | null {
  return brought.has(blob) ? null : (known.newBlobs.get(blob) ?? null);
}

function addPart(draft: Draft, part: WritePart): readonly WrittenEvent[] {
  const before = headOf(draft, part.stream);
  const no = before?.no ?? newStream(draft, part.stream);
  let { version, hash: prev } = before ?? { version: 0, hash: firstPrev(draft, part) };
  let usage = NO_USAGE;
  const written = part.events.map((event) => {
    draft.seq += 1;
    version += 1;
    const { seq } = draft;
    const hash = hashEvent(sha256, prev, event.header);
    draft.events.push({ seq, stream: no, version, prev, hash, event });
    usage = sum(usage, takeUp(draft, no, event));
    draft.hashes.set(placeOf({ stream: part.stream, version }), hash);
    draft.fence = event.takesFence ?? draft.fence;
    const place = { seq, prev: hexOf(prev), hash: hexOf(hash) };
    prev = hash;
    return place;
  });
  book(draft, part, usage, { no, version, hash: prev });
  for (const row of part.rows) mergeRow(draft.rows, row);
  if (part.snapshot !== null) draft.snapshots.push({ stream: no, version, state: part.snapshot });
  return written;
}

/** Moves the stream's head and adds the usage of the events to the home and to the account. */
function book(draft: Draft, part: WritePart, usage: Taken, end: Pick<StreamHead, "no" | "version" | "hash">): void {
  const before = headOf(draft, part.stream);
  draft.home = sum(draft.home, usage);
  const accountName = accountOf(draft, part);
  const root = accountName === part.stream ? null : headOf(draft, accountName);
  const account = root?.no ?? end.no;
  const all = sum(before?.usage ?? NO_USAGE, usage);
  const familyBytes = (before?.familyBytes ?? 0) + (account === end.no ? totalBytes(usage) : 0);
  draft.streamHeads.set(part.stream, { ...end, isWhole: true, usage: all, account, accountName, familyBytes });
  if (root !== null) draft.streamHeads.set(accountName, { ...root, familyBytes: root.familyBytes + totalBytes(usage) });
}

function takeUp(draft: Draft, no: number, event: WriteEvent): Taken {
  let blobBytes = 0;
  for (const blob of event.blobs) {
    const bytes = newBytes(draft, blob);
    if (bytes === null) continue;
    draft.brought.set(blob, { blob, stream: no, bytes });
    blobBytes += bytes;
  }
  return { events: 1, bytes: bytesOf(event), blobBytes };
}

function newStream(draft: Draft, name: string): number {
  draft.streams += 1;
  draft.newStreams.push({ no: draft.streams, name });
  return draft.streams;
}

function firstPrev(draft: Draft, { continues }: WritePart): Uint8Array {
  return (continues === null ? null : hashAt(draft, continues)) ?? NO_PREV;
}
