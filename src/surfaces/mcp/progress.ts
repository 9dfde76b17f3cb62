import type { ServerContext } from "@modelcontextprotocol/server";
import type { Progress } from "../../contract/index.ts";

export interface ProgressReport {
  readonly report: (progress: Progress) => void;
  readonly stop: () => void;
}

const HEARTBEAT_MS = 1000;
const GAP_MS = 20;

/**
 * Sends progress to a caller that asked for it, at most once in 20 ms and only the newest. While the call reports nothing, a
 * heartbeat shows that it still runs. The protocol requires that the numbers only rise.
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
    /** Call it before the answer is sent: a held message must come first. */
    stop: () => {
      clearInterval(heartbeat);
      if (due !== null) clearTimeout(due);
      sendHeld();
    },
  };
}
