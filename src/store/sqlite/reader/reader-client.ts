import { Worker } from "node:worker_threads";
import type { Repair } from "../../log/write-request.ts";
import {
  type Follower,
  type Progress,
  type RebuildReport,
  type RowQuery,
  type SearchHit,
  StoreError,
  type VerifyReport,
} from "../../port.ts";
import type { FromReader, ReaderOptions, ToReader } from "./reader-messages.ts";

/** The main thread's side of the reader. Its failure fails the call and never affects the writer. */
export interface ReaderClient {
  /** False before its first use and after a while without any: its thread is not there then. */
  readonly isRunning: () => boolean;
  readonly index: Pick<Follower, "position" | "advance" | "restart">;
  readonly forget: (seqs: readonly number[]) => Promise<void>;
  readonly search: (text: string, limit: number, of: string) => Promise<readonly SearchHit[]>;
  readonly verify: (progress?: Progress) => Promise<VerifyReport>;
  readonly compare: (progress?: Progress) => Promise<RebuildReport & { readonly repair: Repair }>;
  readonly counts: (
    list: string,
    by: string,
    where: RowQuery["where"],
  ) => Promise<{ readonly [value: string]: number }>;
  readonly close: () => Promise<void>;
}

interface Asked {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StoreError) => void;
  readonly progress: Progress | undefined;
}

interface Running {
  readonly worker: Worker;
  readonly ended: Promise<void>;
}

const ASKS_MAX = 256;
/** A thread takes some 13 MB, its start 40 ms of another core. */
const IDLE_MS = 3000;

export function startReader(options: ReaderOptions): ReaderClient {
  const asked = new Map<number, Asked>();
  let asks = 0;
  let running: Running | null = null;
  let retired: Promise<unknown> = Promise.resolve();
  let closed = false;

  const failAll = (error: StoreError): void => {
    for (const entry of asked.values()) entry.reject(error);
    asked.clear();
  };
  const hear = (message: Exclude<FromReader, { kind: "closed" }>): void => {
    const entry = asked.get(message.ask);
    if (message.kind === "progress") {
      entry?.progress?.(message.done, message.of);
      return;
    }
    asked.delete(message.ask);
    idle.refresh();
    if (message.kind === "answer") entry?.resolve(message.value);
    else entry?.reject(new StoreError(message.code, message.details));
  };
  /** Started at first use: a daemon that only runs sessions does not need it. */
  const start = (): Running => {
    const worker = new Worker(new URL("./reader-thread.ts", import.meta.url), { workerData: options });
    const ended = Promise.withResolvers<void>();
    const gone = (error: StoreError): void => {
      // A thread that ended after a pause has no callers left; the next one has.
      if (running?.worker !== worker) return;
      running = null;
      failAll(error);
    };
    worker.on("message", (message: FromReader) => {
      if (message.kind === "closed") ended.resolve();
      else hear(message);
    });
    worker.on("error", (cause) => gone(new StoreError("store_failed", { reason: String(cause) }, cause)));
    worker.on("exit", () => {
      ended.resolve();
      gone(new StoreError("store_closed"));
    });
    return { worker, ended: ended.promise };
  };
  /** Resolves when the thread has closed its files and ended. */
  const end = async ({ worker, ended }: Running): Promise<void> => {
    worker.postMessage({ kind: "close" } satisfies ToReader);
    await ended;
    await worker.terminate();
  };
  const retire = (): void => {
    if (running === null) return;
    retired = Promise.all([retired, end(running)]);
    running = null;
  };
  const idle = setTimeout(() => {
    if (asked.size === 0) retire();
  }, IDLE_MS).unref();
  const post = (message: ToReader): void => {
    running ??= start();
    running.worker.postMessage(message);
  };
  const ask = <T>(make: (ask: number) => ToReader, progress?: Progress): Promise<T> => {
    if (closed) return Promise.reject(new StoreError("store_closed"));
    if (asked.size >= ASKS_MAX) return Promise.reject(new StoreError("overloaded", { asksMax: ASKS_MAX }));
    asks += 1;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    asked.set(asks, { resolve: (value) => resolve(value as T), reject, progress });
    post(make(asks));
    return promise;
  };

  return {
    isRunning: () => running !== null,
    index: {
      position: () => ask((id) => ({ kind: "position", ask: id })),
      advance: () => ask((id) => ({ kind: "advance", ask: id })),
      restart: () => ask((id) => ({ kind: "restart", ask: id })),
    },
    forget: (seqs) => ask((id) => ({ kind: "forget", ask: id, seqs })),
    search: (text, limit, of) => ask((id) => ({ kind: "search", ask: id, text, limit, of })),
    verify: (progress) => ask((id) => ({ kind: "verify", ask: id }), progress),
    compare: (progress) => ask((id) => ({ kind: "rebuild", ask: id }), progress),
    counts: (list, by, where) => ask((id) => ({ kind: "counts", ask: id, list, by, where })),
    close: async () => {
      closed = true;
      clearTimeout(idle);
      retire();
      await retired;
      failAll(new StoreError("store_closed"));
    },
  };
}
