import { randomBytes } from "node:crypto";
import { type Definitions, type Folded, hashData, headerText, leaseFact, SALT_BYTES } from "../../domains/index.ts";
import { type AnyFact, isUuid, type Json, LIMITS, type Placed, sessionFact, streamOf } from "../../kernel/index.ts";
import { rowWrite } from "../models/rows.ts";
import { type AppendPart, type CallRef, type NewEvent, type RecordedEvent, StoreError } from "../port.ts";
import { hexOf } from "./encoding.ts";
import { sha256 } from "./sha256.ts";
import type { WriteEvent, WritePart, WrittenEvent } from "./write-request.ts";

/** A part of an append, computed on the caller's side: the fold after it, its rows, and the bytes to write. */
export interface Prepared {
  readonly part: AppendPart;
  readonly write: WritePart;
  readonly after: Folded;
}

export function prepare(
  defined: Definitions,
  part: AppendPart,
  before: Folded,
  call: CallRef | null,
  newSalt: NewSalt,
): Prepared {
  if (part.events.length === 0) throw new StoreError("event_not_found", { problem: "an append of no events" });
  checkLink(part);
  const events = part.events.map((event) => withCause(event, call));
  const { folded, rows } = defined.foldAll(part.stream, before, place(part.expectedVersion, events));
  const due = Math.floor(folded.state.version / SNAPSHOT) > Math.floor(part.expectedVersion / SNAPSHOT);
  const write: WritePart = {
    stream: part.stream,
    expectedVersion: part.expectedVersion,
    continues: part.continues ?? null,
    account: accountOf(defined, part.stream, folded),
    events: events.map((event, at) => writeEvent(defined, event, part.stream, part.expectedVersion + at + 1, newSalt)),
    rows: rows.map(rowWrite),
    snapshot: due ? JSON.stringify(folded) : null,
  };
  return { part: { ...part, events }, write, after: folded };
}

export function accountOf(defined: Definitions, stream: string, folded: Folded): string {
  const found = defined.kindOf(stream);
  return found === null ? stream : streamOf(found.of, found.of.account(folded.state, found.id));
}

/** The written events as every reader will see them. */
export function recorded(prepared: readonly Prepared[], places: readonly WrittenEvent[]): readonly RecordedEvent[] {
  const events = prepared.flatMap(({ part }) =>
    part.events.map((event, at) => ({ event, stream: part.stream, version: part.expectedVersion + at + 1 })),
  );
  return events.map(({ event, stream, version }, at) => {
    const written = places[at];
    if (written === undefined) throw new StoreError("store_failed", { reason: "the writer answered for fewer events" });
    const { id, at: when, actor, cause, fact } = event;
    const { seq, hash, prev } = written;
    return { seq, id, stream, version, type: fact.type, at: when, actor, cause, data: jsonOf(fact.data), hash, prev };
  });
}

export function place(after: number, events: readonly NewEvent[]): readonly Placed[] {
  return events.map(({ id, at, fact }, index) => ({ id, at, fact, version: after + index + 1 }));
}

export type NewSalt = () => Uint8Array;

/** Draws many salts at once, because each draw is a system call. */
export function createSalts(): NewSalt {
  let drawn = randomBytes(SALT_BYTES * SALTS_DRAWN);
  let used = 0;
  return () => {
    if (used === SALTS_DRAWN) {
      drawn = randomBytes(SALT_BYTES * SALTS_DRAWN);
      used = 0;
    }
    used += 1;
    return drawn.subarray((used - 1) * SALT_BYTES, used * SALT_BYTES);
  };
}

const SALTS_DRAWN = 256;

export function writeEvent(
  defined: Definitions,
  event: NewEvent,
  stream: string,
  version: number,
  newSalt: NewSalt,
): WriteEvent {
  const { id, at, actor, cause, fact } = event;
  if (!isUuid(id)) throw new TypeError(`${id} is not the id of an event`);
  // An unknown type would make its stream unreadable.
  if (defined.recall(fact.type, null) === null) throw new TypeError(`${fact.type} is not a type of event`);
  const data = JSON.stringify(fact.data);
  const dataBytes = Buffer.from(data);
  if (dataBytes.length > LIMITS.eventDataBytes)
    throw new StoreError("payload_too_large", { maxBytes: LIMITS.eventDataBytes, type: fact.type });
  const salt = newSalt();
  const dataHash = hashData(sha256, salt, dataBytes);
  return {
    id,
    type: fact.type,
    header: headerText({ id, stream, version, type: fact.type, at, actor, cause, dataHash }),
    salt: hexOf(salt),
    data,
    blobs: blobsIn(jsonOf(fact.data)),
    takesFence: fenceIn(fact),
  };
}

/** Every `blob` member at any depth: these blobs must live as long as the event's data. */
export function blobsIn(data: Json): readonly string[] {
  const found = new Set<string>();
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === "blob" && typeof member === "string" && BLOB.test(member)) found.add(member);
      else visit(member);
    }
  };
  visit(data);
  return [...found];
}

const SNAPSHOT = LIMITS.snapshotEveryEvents;
const BLOB = /^[0-9a-f]{64}$/;

/**
 * A fork must continue the event that it names, and no other stream may continue one. Otherwise verification would fail
 * for ever.
 */
function checkLink(part: AppendPart): void {
  const first = part.events[0]?.fact;
  const forked = first === undefined ? null : sessionFact({ type: first.type, data: jsonOf(first.data) });
  const from = part.expectedVersion === 0 && forked?.type === "session.forked@1" ? forked.data.from : null;
  const { continues } = part;
  if (from?.stream !== continues?.stream || from?.version !== continues?.version)
    throw new TypeError(`${part.stream} must continue exactly the event that its fork names`);
}

export function withCause(event: NewEvent, call: CallRef | null): NewEvent {
  if (call === null || event.cause !== null) return event;
  return { ...event, cause: `call:${call.keyHash}:${call.requestHash}` };
}

/** Facts are plain data; this only tells the compiler. */
function jsonOf(data: object): Json {
  return data as Json;
}

/** The store itself reacts to this one event: after it, lower fences are refused. */
function fenceIn({ type, data }: AnyFact): number | null {
  const taken = leaseFact({ type, data: jsonOf(data) });
  return taken?.type === "lease.acquired@1" ? taken.data.fence : null;
}
