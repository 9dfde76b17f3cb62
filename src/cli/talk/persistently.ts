import { ClientError } from "../../client/index.ts";
import { pause } from "../pause.ts";

const RETRY_MS = 400;

/**
 * Repeats a call until the daemon has answered it. Safe for a write with an idempotency key: a repeated call changes
 * nothing twice. A refusal is thrown.
 */
export async function persistently<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  onLost: () => void | Promise<void>,
): Promise<T> {
  while (true) {
    try {
      return await call();
    } catch (thrown) {
      if (!isLost(thrown) || signal.aborted) throw thrown;
      await onLost();
      await pause(RETRY_MS, signal);
    }
  }
}

/** No answer came, or only a daemon that is starting or stopping. */
function isLost(thrown: unknown): boolean {
  return thrown instanceof ClientError && (thrown.status === 0 || thrown.status === 502 || thrown.status === 503);
}
