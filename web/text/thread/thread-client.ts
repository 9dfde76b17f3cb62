import { createKept } from "./kept.ts";
import type { Answers, AnswerTo, Ask, FromThread, ToThread } from "./messages.ts";

/** The part of a Worker that is used. */
export interface Port {
  readonly postMessage: (message: ToThread) => void;
  readonly terminate: () => void;
  onmessage: ((message: { readonly data: FromThread }) => void) | null;
  onerror: (() => void) | null;
}

export interface TextThread {
  /** What was parsed before, at once. */
  readonly known: <A extends Ask>(ask: A) => AnswerTo<A> | null;
  /**
   * Parses in the thread. Null: the text stays plain, because the thread failed on it, took too long, or the signal was
   * aborted.
   */
  readonly parse: <A extends Ask>(ask: A, signal: AbortSignal) => Promise<AnswerTo<A> | null>;
}

export interface ThreadOptions {
  /** Null: this browser has no workers. */
  readonly start: () => Port | null;
  readonly timeoutMs?: number;
}

type Answer = Answers[Ask["what"]];

interface Waiting {
  readonly ask: Ask;
  readonly signal: AbortSignal;
  readonly settle: (answer: Answer | null) => void;
}

/** A text that takes longer is meant to. */
const TIMEOUT_MS = 5_000;
/** A thread that ends by itself is started anew this often; then every text stays plain. */
const RESTARTS_MAX = 3;

/**
 * One thread for the page. It gets one text at a time, so that a text nobody waits for any more costs nothing and the text
 * that made it fail is known: that one is never tried again.
 */
export function createTextThread({ start, timeoutMs = TIMEOUT_MS }: ThreadOptions): TextThread {
  const kept = createKept();
  const waiting: Waiting[] = [];
  let port: Port | null = null;
  let starts = 0;
  let current: (Waiting & { readonly id: number; readonly timer: ReturnType<typeof setTimeout> }) | null = null;
  let lastId = 0;

  const finish = (answer: Answer | null): void => {
    if (current === null) return;
    const { ask, settle, timer } = current;
    clearTimeout(timer);
    current = null;
    kept.keep(ask, answer);
    settle(answer);
    next();
  };
  const fail = (): void => {
    port?.terminate();
    port = null;
    finish(null);
  };
  const reach = (): Port | null => {
    if (port !== null || starts > RESTARTS_MAX) return port;
    starts += 1;
    try {
      port = start();
    } catch {
      // A policy of the browser or a missing file: plain text is shown.
      port = null;
    }
    if (port === null) return null;
    port.onmessage = ({ data: { id, answer } }) => {
      if (id === current?.id) finish(answer);
    };
    port.onerror = fail;
    return port;
  };
  const next = (): void => {
    if (current !== null) return;
    const taken = waiting.shift();
    if (taken === undefined) return;
    const known = kept.find(taken.ask);
    const reached = known === undefined && !taken.signal.aborted ? reach() : null;
    if (reached === null) {
      taken.settle(known ?? null);
      next();
      return;
    }
    lastId += 1;
    current = { ...taken, id: lastId, timer: setTimeout(fail, timeoutMs) };
    reached.postMessage({ id: lastId, ask: taken.ask });
  };
  return {
    known: (ask) => (kept.find(ask) ?? null) as never,
    parse: (ask, signal) =>
      new Promise((settle) => {
        waiting.push({ ask, signal, settle: settle as Waiting["settle"] });
        next();
      }),
  };
}
