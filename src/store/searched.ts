import { recallFact } from "../kernel/index.ts";
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
  const found = event.data === null ? null : recallFact(event.type, event.data);
  return found?.type === "data.erased@1" ? found.data.events : [];
}

/** As facts, so that the compiler knows where their words are. */
function wordsOf(event: RecordedEvent): string | null {
  const found = event.data === null ? null : recallFact(event.type, event.data);
  switch (found?.type) {
    case "session.opened@1":
    case "session.forked@1":
      return [found.data.spec.name, found.data.label ?? ""].join(" ");
    case "session.labelled@1":
      return found.data.label;
    case "turn.admitted@1":
      return found.data.prompt;
    case "message.completed@1":
    case "effect.output@1":
      return found.data.text;
    default:
      return null;
  }
}
