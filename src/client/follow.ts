import { ClientError } from "./client-error.ts";
import { send, type Target } from "./request.ts";
import { readItems, type StreamItem } from "./stream-items.ts";

export interface StreamOptions {
  /** A `seq` or an event id, exclusive; default: the beginning for one session, now for all. */
  readonly after?: string | number;
  readonly signal?: AbortSignal;
  /** How many reconnects in a row are tried without a new item. */
  readonly reconnectsMax?: number;
  /** The connection was cut, or could not be made; another try follows. */
  readonly onBroken?: () => void;
  /** A connection stands, the first or a new one. */
  readonly onConnected?: () => void;
}

const RECONNECTS_MAX = 8;
const RECONNECT_FIRST_MS = 100;
const RECONNECT_MAX_MS = 3_000;
/** A connection that lasted this long counts as good, also without an item. */
const CONNECTION_HELD_MS = 10_000;

/**
 * Follows a stream across cut connections, each time from the last event passed on: nothing twice, nothing lost. Lines
 * come before the event they are made from, so they are held back until it arrives.
 */
export async function* follow(
  target: Target,
  asked: { readonly name: string; readonly input: Readonly<Record<string, unknown>> },
  options: StreamOptions,
): AsyncGenerator<StreamItem> {
  const { signal, reconnectsMax = RECONNECTS_MAX } = options;
  const isOver = (): boolean => signal?.aborted ?? false;
  const input = options.after === undefined ? asked.input : { ...asked.input, after: options.after };
  let lastId: string | null = null;
  let failures = 0;
  while (!isOver()) {
    const openedMs = Date.now();
    try {
      const headers: Record<string, string> = lastId === null ? {} : { "last-event-id": lastId };
      const response = await send(target, { ...asked, input, headers, signal });
      if (response.body === null) return;
      options.onConnected?.();
      let held: StreamItem[] = [];
      for await (const item of readItems(response.body.getReader())) {
        if (item.event === "line") {
          held.push(item);
          continue;
        }
        if (item.event === "event") {
          lastId = item.id;
          failures = 0;
        }
        yield* held;
        held = [];
        yield item;
        if (item.event === "end") return;
      }
    } catch (thrown) {
      if (isOver()) return;
      if (!isPassing(thrown) || failures >= reconnectsMax) throw thrown;
    }
    if (isOver()) return;
    options.onBroken?.();
    if (Date.now() - openedMs > CONNECTION_HELD_MS) failures = 0;
    if (failures >= reconnectsMax) throw new ClientError("daemon_unreachable", { status: 0 });
    await pause(Math.min(RECONNECT_FIRST_MS * 2 ** failures, RECONNECT_MAX_MS), signal);
    failures += 1;
  }
}

/** A temporary failure: no answer, or a daemon that is starting or stopping. Everything else is final. */
function isPassing(thrown: unknown): boolean {
  return !(thrown instanceof ClientError) || thrown.status === 0 || thrown.status >= 502;
}

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal?.addEventListener("abort", over);
  });
}
