import type { Answers, Ask } from "./messages.ts";

type Answer = Answers[Ask["what"]];

export interface Kept {
  /** Undefined: not known. Null: known to fail. */
  readonly find: (ask: Ask) => Answer | null | undefined;
  readonly keep: (ask: Ask, answer: Answer | null) => void;
}

/** Characters of all texts that are remembered. */
const CHARS_MAX = 4_000_000;
const ANSWERS_MAX = 2_000;

/** Remembers what was parsed; what was not used for longest goes first. */
export function createKept(charsMax = CHARS_MAX): Kept {
  const answers = new Map<string, Answer | null>();
  let chars = 0;
  const drop = (key: string): void => {
    if (answers.delete(key)) chars -= key.length;
  };
  return {
    find: (ask) => {
      const key = keyOf(ask);
      const found = answers.get(key);
      if (found === undefined) return undefined;
      answers.delete(key);
      answers.set(key, found);
      return found;
    },
    keep: (ask, answer) => {
      const key = keyOf(ask);
      drop(key);
      answers.set(key, answer);
      chars += key.length;
      for (const oldest of answers.keys()) {
        if (chars <= charsMax && answers.size <= ANSWERS_MAX) break;
        drop(oldest);
      }
    },
  };
}

function keyOf(ask: Ask): string {
  return ask.what === "code" ? `code ${ask.grammar}\n${ask.text}` : `markdown\n${ask.text}`;
}
