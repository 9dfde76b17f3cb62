import type { LogEvent } from "../../src/client/index.ts";
import { memberOf } from "../../src/kernel/index.ts";
import type { Place, StoredText } from "./entry.ts";

/** Data of events is read member by member: an erased event has none, and a newer daemon may write others. */
export function textIn(data: unknown, key: string): string {
  const value = memberOf(data, key);
  return typeof value === "string" ? value : "";
}

export function textOrNull(data: unknown, key: string): string | null {
  const value = memberOf(data, key);
  return typeof value === "string" ? value : null;
}

export function numberOrNull(data: unknown, key: string): number | null {
  const value = memberOf(data, key);
  return typeof value === "number" ? value : null;
}

export function listIn(data: unknown, key: string): readonly unknown[] {
  const value = memberOf(data, key);
  return Array.isArray(value) ? value : [];
}

export function storedIn(data: unknown): StoredText | null {
  const text = textOrNull(data, "text");
  if (text === null) return null;
  return { text, blob: textOrNull(data, "blob"), bytes: numberOrNull(data, "bytes") ?? text.length };
}

export function placeOf({ stream, seq, version, id, at, actor, data }: LogEvent, key?: string): Place {
  const turnId = textOrNull(data, "turnId");
  return { key: key ?? `event:${seq}`, stream, seq, version, eventId: id, at, actor, turnId };
}
