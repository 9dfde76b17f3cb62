import type { Worker } from "node:worker_threads";
import type { WriteReply, WriteRequest } from "../../log/write-request.ts";
import { StoreError } from "../../port.ts";
import { type FromWriter, packRequest, type ToWriter, unpackReply, type WriterOptions } from "./writer-messages.ts";

/**
 * The main thread's side of the writer. Requests that arrive during a flush wait at the writer, which commits them as
 * one batch.
 */
export interface WriterClient {
  readonly write: (request: WriteRequest) => Promise<Written>;
  /** How many writes there have been; null while one is under way. */
  readonly quietAt: () => number | null;
  /** Waits for pending requests; refuses new ones. */
  readonly finish: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export type Written = Extract<WriteReply, { ok: unknown }>;

interface Waiting {
  readonly request: WriteRequest;
  readonly bytes: number;
  readonly resolve: (reply: Written) => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * When the writer is idle, half of the last batch's size (at least this many) is sent at once, so that one half is
 * flushed while the other is prepared. Not when flushes are slow: then one flush for all is better.
 */
const FIRST_LOAD_MIN = 8;
const FLUSH_SHORT_MS = 4;
const LOAD_MAX = 256;
const BACKLOG_MAX = 20_000;
const BACKLOG_BYTES_MAX = 256 * 1024 * 1024;

/** `onFatal` is called after a failed flush. The caller must end the process, because memory is ahead of the disk. */
export async function openWriter(
  worker: Worker,
  options: WriterOptions,
  onFatal: (error: StoreError) => void,
): Promise<WriterClient> {
  const waiting: Waiting[] = [];
  const sent: Waiting[] = [];
  let backlogBytes = 0;
  let writes = 0;
  let sentAtMs = 0;
  let lastFlushMs = 0;
  let firstLoad = FIRST_LOAD_MIN;
  let failure: StoreError | null = null;
  const opened = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let state: "opening" | "open" | "closing" = "opening";

  const fail = (error: StoreError): void => {
    if (failure !== null) return;
    failure = error;
    opened.reject(error);
    finished.resolve();
    closed.resolve();
    for (const entry of [...sent.splice(0), ...waiting.splice(0)]) entry.reject(error);
    if (state !== "opening") onFatal(error);
  };
  const post = (message: ToWriter) => worker.postMessage(message);
  /** While a slow flush runs, new requests are collected and sent together after it: one flush for all. */
  const isHeldBack = () => sent.length > 0 && lastFlushMs >= FLUSH_SHORT_MS && state !== "closing";
  const send = (): void => {
    if (isHeldBack()) return;
    while (waiting.length > 0) {
      const load = waiting.splice(0, LOAD_MAX);
      if (sent.length === 0) sentAtMs = performance.now();
      sent.push(...load);
      post({ kind: "batch", requests: load.map(({ request }) => packRequest(request)) });
    }
  };

  worker.on("message", (message: FromWriter) => {
    switch (message.kind) {
      case "ready":
        state = "open";
        opened.resolve();
        return;
      case "done": {
        const nowMs = performance.now();
        lastFlushMs = nowMs - sentAtMs;
        sentAtMs = nowMs;
        firstLoad = Math.max(FIRST_LOAD_MIN, Math.ceil(message.replies.length / 2));
        for (const [at, entry] of sent.splice(0, message.replies.length).entries()) {
          backlogBytes -= entry.bytes;
          const reply = message.replies[at];
          settle(entry, reply === undefined ? undefined : unpackReply(reply));
        }
        if (state === "closing" && sent.length === 0) finished.resolve();
        // After the requests that the callers just answered send next.
        if (waiting.length > 0) setImmediate(send);
        return;
      }
      case "fatal":
        fail(new StoreError(message.code, message.details));
        return;
      case "closed":
        closed.resolve();
    }
  });
  worker.on("error", (cause) => fail(new StoreError("store_failed", { reason: String(cause) }, cause)));
  worker.on("exit", () => {
    if (state === "closing" && sent.length === 0) failure ??= new StoreError("store_closed");
    fail(new StoreError("store_failed", { reason: "the writer has ended" }));
    closed.resolve();
  });
  post({ kind: "open", options });
  await opened.promise;

  return {
    write: (request) => {
      if (failure !== null) return Promise.reject(failure);
      if (state === "closing") return Promise.reject(new StoreError("store_closed"));
      const bytes = sizeOf(request);
      if (sent.length + waiting.length >= BACKLOG_MAX || backlogBytes + bytes > BACKLOG_BYTES_MAX)
        return Promise.reject(new StoreError("overloaded", { requests: sent.length + waiting.length, backlogBytes }));
      const { promise, resolve, reject } = Promise.withResolvers<Written>();
      waiting.push({ request, bytes, resolve, reject });
      backlogBytes += bytes;
      writes += 1;
      if (waiting.length === 1) queueMicrotask(send);
      if (waiting.length >= firstLoad && sent.length === 0 && lastFlushMs < FLUSH_SHORT_MS) send();
      return promise;
    },
    quietAt: () => (sent.length + waiting.length === 0 ? writes : null),
    finish: async () => {
      state = "closing";
      send();
      if (sent.length === 0) finished.resolve();
      await finished.promise;
    },
    close: async () => {
      state = "closing";
      if (failure === null) post({ kind: "close" });
      await closed.promise;
      await worker.terminate();
    },
  };
}

function settle(entry: Waiting, reply: WriteReply | undefined): void {
  if (reply === undefined) entry.reject(new StoreError("store_failed", { reason: "the writer gave no answer" }));
  else if ("ok" in reply) entry.resolve(reply);
  else entry.reject(new StoreError(reply.refused, reply.details));
}

/** Counts the data only; the rest of a request is small. */
function sizeOf(request: WriteRequest): number {
  let bytes = 0;
  for (const part of request.parts) for (const event of part.events) bytes += event.data.length;
  return bytes;
}
