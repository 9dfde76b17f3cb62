import { type Folded, foldAll, hex, type Json, LIMITS, type Placed } from "../../kernel/index.ts";
import { type AppendPart, type CallRef, type NewEvent, type RecordedEvent, StoreError } from "../port.ts";
import type { WriteEvent, WritePart, WriteReply } from "./messages.ts";

/** A part of an append, worked out on the caller's side: the fold behind it, its rows, and the bytes to write. */
export interface Prepared {
  readonly part: AppendPart;
  readonly write: WritePart;
  readonly after: Folded;
}

export function prepare(part: AppendPart, before: Folded, call: CallRef | null): Prepared {
  if (part.events.length === 0) throw new StoreError("event_not_found", { problem: "an append of no events" });
  const events = part.events.map((event) => withCause(event, call));
  const { folded, rows } = foldAll(part.stream, before, place(part.expectedVersion, events));
  const due = Math.floor(folded.state.version / SNAPSHOT) > Math.floor(part.expectedVersion / SNAPSHOT);
  const write: WritePart = {
    stream: part.stream,
    expectedVersion: part.expectedVersion,
    continues: part.continues ?? null,
    events: events.map(writeEvent),
    rows,
    snapshot: due ? JSON.stringify(folded) : null,
  };
  return { part: { ...part, events }, write, after: folded };
}

/** What was written, as every reader will see it. */
export function recorded(
  prepared: readonly Prepared[],
  places: Extract<WriteReply, { ok: unknown }>["ok"],
): readonly RecordedEvent[] {
  const events = prepared.flatMap(({ part }) =>
    part.events.map((event, at) => ({ event, stream: part.stream, version: part.expectedVersion + at + 1 })),
  );
  return events.map(({ event, stream, version }, at) => {
    const place = places[at];
    if (place === undefined) throw new StoreError("store_failed", { reason: "the writer answered for fewer events" });
    const { id, at: when, actor, cause, fact } = event;
    const { seq, hash, prev } = place;
    return {
      seq,
      id,
      stream,
      version,
      type: fact.type,
      at: when,
      actor,
      cause,
      data: jsonOf(fact.data),
      hash: hex(hash),
      prev: hex(prev),
    };
  });
}

export function place(after: number, events: readonly NewEvent[]): readonly Placed[] {
  return events.map(({ id, at, fact }, index) => ({ id, at, fact, version: after + index + 1 }));
}

export function writeEvent(event: NewEvent): WriteEvent {
  const data = JSON.stringify(event.fact.data);
  if (data.length > LIMITS.eventDataBytes)
    throw new StoreError("payload_too_large", { maxBytes: LIMITS.eventDataBytes, type: event.fact.type });
  const { id, at, actor, cause, fact } = event;
  const takesFence = fact.type === "lease.acquired@1" ? fact.data.fence : null;
  return { id, type: fact.type, at, actor, cause, data, blobs: blobsIn(jsonOf(fact.data)), takesFence };
}

const SNAPSHOT = LIMITS.snapshotEveryEvents;

function withCause(event: NewEvent, call: CallRef | null): NewEvent {
  if (call === null || event.cause !== null) return event;
  return { ...event, cause: `call:${call.keyHash}:${call.requestHash}` };
}

/** Facts are plain data by construction; this only tells the compiler. */
function jsonOf(data: NewEvent["fact"]["data"]): Json {
  return data as unknown as Json;
}

/** Every `blob` member, however deep: what must live as long as this event's data does. */
function blobsIn(data: Json): readonly string[] {
  const found = new Set<string>();
  const visit = (value: Json): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === "blob" && typeof member === "string") found.add(member);
      else visit(member);
    }
  };
  visit(data);
  return [...found];
}
