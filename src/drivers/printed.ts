import type { Redactor } from "../redaction/index.ts";

/** An agent's output beside the protocol, bounded: its end for error messages, and everything new for the log. */
export interface Printed {
  readonly add: (source: "stderr" | "noise", text: string) => void;
  /** Output since the last call, only the newest part if it is large; null when there is none. */
  readonly take: () => string | null;
  /** The newest part of all output. */
  readonly tail: () => string;
  /** For the end of an error message: empty when nothing was printed. */
  readonly tailText: () => string;
}

const KEPT_CHARS = 65_536;
const TAIL_CHARS = 2000;

export function createPrinted(redactor: Pick<Redactor, "stream" | "text">): Printed {
  const errors = redactor.stream();
  let fresh = "";
  let dropped = 0;
  let tail = "";
  return {
    add: (source, text) => {
      // Before anything is cut: half of a secret is not recognised any more.
      const line = source === "noise" ? `${redactor.text(text)}\n` : errors.push(text);
      tail = (tail + line).slice(-TAIL_CHARS);
      fresh += line;
      if (fresh.length > 2 * KEPT_CHARS) {
        dropped += fresh.length - KEPT_CHARS;
        fresh = fresh.slice(-KEPT_CHARS);
      }
    },
    take: () => {
      const text = fresh === "" ? null : dropped === 0 ? fresh : `[${dropped} characters left out]\n${fresh}`;
      fresh = "";
      dropped = 0;
      return text;
    },
    tail: () => tail.trim(),
    tailText: () => (tail.trim() === "" ? "" : `; it last printed: ${tail.trim()}`),
  };
}
