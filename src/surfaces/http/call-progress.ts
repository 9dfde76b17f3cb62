import type { ServerResponse } from "node:http";
import { ERROR_CATALOGUE, errorBody, type NomosError, type Progress } from "../../contract/index.ts";
import { ANSWER_HEADERS } from "./answers.ts";

/** Tells a caller who accepts server-sent events how far a call is. Until the first report the answer is an ordinary one. */
export interface CallProgress {
  readonly report: (progress: Progress) => void;
  /** False: nothing was reported, so the answer is still to be sent. */
  readonly answer: (value: unknown) => boolean;
  readonly fail: (error: NomosError) => void;
}

const REPORT_EVERY_MS = 100;
/** Clients take a connection that is silent for longer as lost. */
const KEEP_ALIVE_MS = 25_000;

export function createCallProgress(response: ServerResponse, accept: string | undefined): CallProgress | null {
  if (!/\btext\/event-stream\b/.test(accept ?? "")) return null;
  let reportedMs: number | null = null;
  let keepAlive: NodeJS.Timeout | undefined;
  const write = (event: string, data: unknown): void =>
    void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const end = (event: string, data: unknown): void => {
    clearInterval(keepAlive);
    write(event, data);
    response.end();
  };
  return {
    report: (progress) => {
      const nowMs = performance.now();
      if (response.writableEnded || response.writableNeedDrain) return;
      if (reportedMs !== null && nowMs - reportedMs < REPORT_EVERY_MS) return;
      if (reportedMs === null) {
        response.writeHead(200, { ...ANSWER_HEADERS, "content-type": "text/event-stream" });
        keepAlive = setInterval(() => response.write(": keep-alive\n\n"), KEEP_ALIVE_MS);
        response.once("close", () => clearInterval(keepAlive));
      }
      reportedMs = nowMs;
      write("progress", progress);
    },
    answer: (value) => {
      if (reportedMs === null) return false;
      end("answer", value);
      return true;
    },
    fail: (error) => {
      if (reportedMs !== null) end("error", { status: ERROR_CATALOGUE[error.code].status, ...errorBody(error) });
    },
  };
}
