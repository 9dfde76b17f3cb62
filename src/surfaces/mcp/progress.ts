import type { ServerContext } from "@modelcontextprotocol/server";
import type { Progress } from "../../syscalls/index.ts";

export interface ProgressReport {
  readonly report: (progress: Progress) => void;
  readonly stop: () => void;
}

const HEARTBEAT_MS = 1000;
const GAP_MS = 20;

/**
 * Progress to whoever asked for it by a token, at most one note each 20 ms. While the call says nothing of its own, a
 * heartbeat tells the client that it is still under way. The protocol wants numbers that only rise.
 */
export function reportProgress({ mcpReq }: ServerContext, log: (error: unknown) => void): ProgressReport {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { report: () => undefined, stop: () => undefined };
  const startedMs = Date.now();
  let last = -1;
  let sentMs = 0;
  let counts = false;
  const send = (progress: number, rest: { readonly total?: number; readonly message?: string }): void => {
    last = progress;
    sentMs = Date.now();
    mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, ...rest } }).catch(log);
  };
  const heartbeat = setInterval(() => {
    if (counts || Date.now() - sentMs < HEARTBEAT_MS) return;
    send(last + 1, { message: `${Math.round((Date.now() - startedMs) / 1000)} s` });
  }, HEARTBEAT_MS);
  return {
    report: ({ message, done, total }) => {
      const isLast = done !== undefined && done === total;
      if (!isLast && Date.now() - sentMs < GAP_MS) return;
      if (done === undefined) return send(last + 1, { message });
      counts = true;
      if (done > last) send(done, total === undefined ? { message } : { message, total });
    },
    stop: () => clearInterval(heartbeat),
  };
}
