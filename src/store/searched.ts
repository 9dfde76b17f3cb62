import type { RecordedEvent } from "./port.ts";

/** Only these have words that anybody would look for; `data.erased@1` takes some away again. */
export const SEARCHED_TYPES = [
  "session.opened",
  "session.forked",
  "session.labelled",
  "turn.admitted",
  "message.completed",
  "effect.output",
  "data.erased",
];

const SESSION_STREAM = "session/";

/** The words of an event, and whose session's they are; null when there are none. */
export function searchedIn(event: RecordedEvent): { readonly sessionId: string; readonly words: string } | null {
  const words = wordsOf(event);
  if (words === null || !event.stream.startsWith(SESSION_STREAM)) return null;
  return { sessionId: event.stream.slice(SESSION_STREAM.length), words };
}

export function erasedIds(event: RecordedEvent): readonly string[] {
  const ids = member(event.data, "events");
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

function wordsOf(event: RecordedEvent): string | null {
  const { data } = event;
  if (data === null || typeof data !== "object" || !("turnId" in data || "label" in data)) return null;
  const words = [
    member(data, "prompt"),
    member(data, "text"),
    member(data, "label"),
    member(member(data, "spec"), "name"),
  ];
  const found = words.filter((word) => typeof word === "string" && word !== "");
  return found.length === 0 ? null : found.join(" ");
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
