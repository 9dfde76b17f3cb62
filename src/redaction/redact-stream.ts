import { CONTEXT_CHARS, HELD_SMALL_CHARS, WINDOW_MAX_CHARS } from "./limits.ts";
import type { Found } from "./scan/found.ts";
import type { TextScanner } from "./scan/text-window.ts";

/** Text that arrives in chunks. What may be the beginning of a secret is held until the next chunk decides it. */
export interface RedactedStream {
  push(chunk: string): string;
  end(): string;
}

export function createStream(
  scanner: TextScanner,
  replace: (text: string, from: number, to: number, found: readonly Found[]) => string,
): RedactedStream {
  let context = "";
  let held = "";
  let lookAgainAt = 0;

  const settle = (isEnd: boolean): string => {
    const tail = isEnd ? "" : halfCharacter(held);
    const text = context + (tail === "" ? held : held.slice(0, -tail.length));
    const isFinal = isEnd || held.length > WINDOW_MAX_CHARS;
    const { found, openAt } = scanner.window(text, context.length, isFinal);
    const out = replace(text, context.length, openAt, found);
    held = text.slice(openAt) + tail;
    context = text.slice(Math.max(0, openAt - CONTEXT_CHARS), openAt);
    lookAgainAt = held.length <= HELD_SMALL_CHARS ? 0 : held.length + (held.length >> 3);
    return out;
  };

  return {
    push: (chunk) => {
      held += chunk;
      return chunk === "" || held.length < lookAgainAt ? "" : settle(false);
    },
    end: () => settle(true),
  };
}

/** The first half of a character of two units. */
function halfCharacter(text: string): string {
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? text.slice(-1) : "";
}
