import { useEffect, useState } from "preact/hooks";
import type { AnswerTo, Ask } from "./messages.ts";
import { pageThread } from "./page-thread.ts";

export interface Parsed<T> {
  /** Null: nothing is parsed yet, or it failed. */
  readonly value: T | null;
  /** Whether it belongs to the text that was asked for last. */
  readonly isCurrent: boolean;
  /** The text that it belongs to. */
  readonly of: string;
}

interface Held<T> {
  readonly of: string;
  readonly grammar: string | null;
  readonly value: T;
}

const NOTHING = { value: null, isCurrent: true, of: "" } as const;

/**
 * The parsed form of a text. While a new text is being parsed the last one stays, so that a text that is being written does not
 * flicker. Null asks for nothing.
 */
export function useParsed<A extends Ask>(ask: A | null): Parsed<AnswerTo<A>> {
  const [last, setLast] = useState<Held<AnswerTo<A>> | null>(null);
  const text = ask?.text ?? null;
  const grammar = ask?.what === "code" ? ask.grammar : null;
  const held = last?.grammar === grammar ? last : null;
  const known = ask === null || held?.of === text ? null : pageThread().known(ask);
  useEffect(() => {
    if (ask === null || text === null) return;
    const controller = new AbortController();
    void pageThread()
      .parse(ask, controller.signal)
      .then((value) => {
        // Also when the text has grown meanwhile: else a text that grows faster than it is parsed would stay plain.
        if (value !== null) setLast({ of: text, grammar, value });
      });
    return () => controller.abort();
  }, [text, grammar]);
  if (ask === null) return NOTHING;
  if (known !== null) return { value: known, isCurrent: true, of: ask.text };
  return held === null ? NOTHING : { value: held.value, isCurrent: held.of === ask.text, of: held.of };
}
