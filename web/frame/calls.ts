import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Client, ClientError, type InputOf, type OutputOf } from "../../src/client/index.ts";
import { onEvents } from "../live/index.ts";
import { nomos } from "./client.ts";
import { complain } from "./toasts.tsx";

type CallName = Parameters<Client["call"]>[0];

export interface Called<T> {
  /** The newest answer; kept while it is read again. */
  readonly value?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  readonly again: () => void;
}

interface CallSettings {
  /** Reads again when an event outside of sessions has such a type. */
  readonly on?: RegExp;
  /** False: not yet. */
  readonly when?: boolean;
}

/** Several events in a row are one reason to read again. */
const SETTLE_MS = 150;

/** The answer of a read, for a view. Another input reads again; a late answer to an old input is dropped. */
export function useCall<N extends CallName>(
  name: N,
  input: InputOf<N>,
  settings: CallSettings = {},
): Called<OutputOf<N>> {
  const { on, when = true } = settings;
  const [state, setState] = useState<Omit<Called<OutputOf<N>>, "again">>({ isLoading: when });
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((now) => now + 1), []);
  const key = JSON.stringify(input);
  const given = useRef(input);
  given.current = input;
  useEffect(() => {
    if (!when) return;
    const leave = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    nomos()
      .call(name, given.current, { signal: leave.signal })
      .then(
        (value) => leave.signal.aborted || setState({ value, isLoading: false }),
        (error: unknown) =>
          leave.signal.aborted ||
          setState(({ value }) => ({ ...(value === undefined ? {} : { value }), error, isLoading: false })),
      );
    return () => leave.abort();
  }, [name, key, round, when]);
  useEffect(() => (on === undefined ? undefined : againOn(on, again)), [on?.source, again]);
  return { ...state, again };
}

function againOn(on: RegExp, again: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = onEvents((events) => {
    if (!events.some(({ type }) => on.test(type))) return;
    clearTimeout(timer);
    timer = setTimeout(again, SETTLE_MS);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** Runs a write for a view. A refusal becomes a message with its cause and remedy; the answer is then undefined. */
export function useAction(): {
  readonly run: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  readonly isRunning: boolean;
} {
  const [running, setRunning] = useState(0);
  const run = useCallback(async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setRunning((now) => now + 1);
    try {
      return await work();
    } catch (thrown) {
      complain(thrown instanceof ClientError ? thrown : new ClientError("internal", { message: String(thrown) }));
      return undefined;
    } finally {
      setRunning((now) => now - 1);
    }
  }, []);
  return { run, isRunning: running > 0 };
}
