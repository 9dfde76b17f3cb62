import type { WriteEvent, WritePart, WriteReply } from "../log/write-request.ts";
import type { Quota, StreamUsage } from "../port.ts";

export type Taken = Omit<StreamUsage, "familyBytes">;

export const NO_USAGE: Taken = { events: 0, bytes: 0, blobBytes: 0 };

/** The bytes of an event without its blobs: its header and its data, as stored. */
export function bytesOf({ header, data }: Pick<WriteEvent, "header" | "data">): number {
  return Buffer.byteLength(header) + Buffer.byteLength(data);
}

export function totalBytes({ bytes, blobBytes }: Taken): number {
  return bytes + blobBytes;
}

export function sum(a: Taken, b: Taken): Taken {
  return { events: a.events + b.events, bytes: a.bytes + b.bytes, blobBytes: a.blobBytes + b.blobBytes };
}

/**
 * Refuses writes that would exceed a quota of a stream or of the whole log. Output that exists already (`overdraw`) is
 * accepted while any room is left: one write may pass the limit, and the next is refused.
 */
export function checkQuota(
  quota: Quota,
  parts: readonly WritePart[],
  books: {
    readonly home: number;
    /** The account that a part's stream counts for. */
    readonly account: (part: WritePart) => string | number;
    /** The bytes used by an account. */
    readonly used: (account: string | number) => number;
    /** The bytes of blobs that no stream has stored yet. */
    readonly blobBytes: (event: WriteEvent) => number;
  },
): WriteReply | null {
  const sizeOf = (events: readonly WriteEvent[]): number =>
    events.reduce((total, event) => total + bytesOf(event) + books.blobBytes(event), 0);
  let all = 0;
  let allFirst = 0;
  /** Bytes of the earlier parts, by account: several streams may share one. */
  const before = new Map<string | number, number>();
  for (const part of parts) {
    const needed = sizeOf(part.events);
    const first = sizeOf(part.events.slice(0, quota.fitting ?? 0));
    all += needed;
    allFirst += first;
    const account = books.account(part);
    const used = books.used(account) + (before.get(account) ?? 0);
    before.set(account, (before.get(account) ?? 0) + needed);
    const isOver = quota.overdraw ? used + first >= quota.streamBytes : used + needed > quota.streamBytes;
    if (isOver) return refused("session", used, quota.streamBytes, needed);
  }
  const home = books.home + (quota.besideBytes ?? 0);
  const isOver = quota.overdraw ? home + allFirst >= quota.homeBytes : home + all > quota.homeBytes;
  return isOver ? refused("home", home, quota.homeBytes, all) : null;
}

function refused(scope: "session" | "home", used: number, limit: number, needed: number): WriteReply {
  return { refused: "quota_exceeded", details: { scope, used, limit, needed } };
}
