import { Worker } from "node:worker_threads";
import { StoreError } from "../port.ts";
import type { FromWriter, ToWriter, WriteReply, WriteRequest, WriterOptions } from "./messages.ts";

/** The main thread's end of the writer: collects what comes in while a flush is under way and sends it as one batch. */
export interface WriterClient {
  readonly write: (request: WriteRequest) => Promise<Extract<WriteReply, { ok: unknown }>>;
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly request: WriteRequest;
  readonly resolve: (reply: Extract<WriteReply, { ok: unknown }>) => void;
  readonly reject: (error: StoreError) => void;
}

const BATCH_MAX = 1024;
const BACKLOG_MAX = 20_000;

/** `onFatal` is told of a failed flush. Whoever runs the store must then end the process: what is in memory is ahead of the disk. */
export async function startWriter(options: WriterOptions, onFatal: (error: StoreError) => void): Promise<WriterClient> {
  const worker = new Worker(new URL("./writer-thread.ts", import.meta.url), { workerData: options });
  let waiting: Waiting[] = [];
  let flushing: Waiting[] = [];
  let failure: StoreError | null = null;
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();

  const fail = (error: StoreError): void => {
    if (failure !== null) return;
    failure = error;
    opened.reject(error);
    closed.resolve();
    for (const entry of [...flushing, ...waiting]) entry.reject(error);
    flushing = [];
    waiting = [];
    onFatal(error);
  };
  const post = (message: ToWriter) => worker.postMessage(message);
  const flush = (): void => {
    if (flushing.length > 0 || waiting.length === 0) return;
    flushing = waiting.splice(0, BATCH_MAX);
    post({ kind: "batch", requests: flushing.map(({ request }) => request) });
  };

  worker.on("message", (message: FromWriter) => {
    switch (message.kind) {
      case "ready":
        opened.resolve();
        return;
      case "done": {
        const done = flushing;
        flushing = [];
        flush();
        for (const [at, entry] of done.entries()) settle(entry, message.replies[at]);
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
    closed.resolve();
    if (failure === null) failure = new StoreError("store_closed");
  });
  await opened.promise;

  return {
    write: (request) => {
      if (failure !== null) return Promise.reject(failure);
      if (waiting.length >= BACKLOG_MAX)
        return Promise.reject(new StoreError("overloaded", { backlogMax: BACKLOG_MAX }));
      const { promise, resolve, reject } = Promise.withResolvers<Extract<WriteReply, { ok: unknown }>>();
      waiting.push({ request, resolve, reject });
      queueMicrotask(flush);
      return promise;
    },
    close: async () => {
      while (failure === null && (waiting.length > 0 || flushing.length > 0))
        await new Promise((next) => setTimeout(next, 1));
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
