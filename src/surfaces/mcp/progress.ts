import type { ServerContext } from "@modelcontextprotocol/server";
import type { Progress } from "../../contract/index.ts";

export interface ProgressReport {
  readonly report: (progress: Progress) => void;
  readonly stop: () => void;
}

const HEARTBEAT_MS = 1000;
const GAP_MS = 20;

/**
 * Progress to whoever asked for it by a token: at most one note each 20 ms, the newest of them. While the call says
 * nothing of its own, a heartbeat tells the client that it is still under way. The protocol wants numbers that only rise.
 */
export function reportProgress({ mcpReq }: ServerContext, log: (error: unknown) => void): ProgressReport {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { report: () => undefined, stop: () => undefined };
  const startedMs = performance.now();
  let last = -1;
  let sentMs = Number.NEGATIVE_INFINITY;
  let counts = false;
  let held: Progress | null = null;
  let due: NodeJS.Timeout | null = null;
  const send = ({ message, done, total }: Progress): void => {
    counts ||= done !== undefined;
    const progress = done ?? last + 1;
    if (progress <= last) return;
    last = progress;
    sentMs = performance.now();
    const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
    mcpReq.notify({ method: "notifications/progress", params }).catch(log);
  };
  const sendHeld = (): void => {
    due = null;
    if (held !== null) send(held);
    held = null;
  };
  const heartbeat = setInterval(() => {
    if (!counts && performance.now() - sentMs >= HEARTBEAT_MS)
      send({ message: `${Math.round((performance.now() - startedMs) / 1000)} s` });
  }, HEARTBEAT_MS);
  return {
    report: (progress) => {
      const restMs = sentMs + GAP_MS - performance.now();
      if (restMs <= 0 && due === null) return send(progress);
      held = progress;
      due ??= setTimeout(sendHeld, Math.max(restMs, 0));
    },
    /** Before the answer goes out: what is held belongs in front of it. */
    stop: () => {
      clearInterval(heartbeat);
      if (due !== null) clearTimeout(due);
      sendHeld();
    },
  };
}
