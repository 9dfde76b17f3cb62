import { useCallback, useEffect, useState } from "preact/hooks";
import { allSecrets, type Secret } from "../frame/index.ts";
import { onEvents } from "../live/index.ts";

const CHANGED = /^(?:secret|vault)\./;
/** Many uses in a row are one reason to read again. */
const SETTLE_MS = 300;

/** All secrets, read again when one of them changes or is used. */
export function useSecrets(): {
  readonly secrets: readonly Secret[] | null;
  readonly error: unknown;
  readonly again: () => void;
} {
  const [secrets, setSecrets] = useState<readonly Secret[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((now) => now + 1), []);
  useEffect(() => {
    const leave = new AbortController();
    allSecrets(leave.signal).then(
      (found) => leave.signal.aborted || setSecrets(found),
      (thrown: unknown) => leave.signal.aborted || setError(thrown),
    );
    return () => leave.abort();
  }, [round]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvents((events) => {
      if (!events.some(({ type }) => CHANGED.test(type))) return;
      clearTimeout(timer);
      timer = setTimeout(again, SETTLE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [again]);
  return { secrets, error, again };
}
