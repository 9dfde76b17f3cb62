import { Worker } from "node:worker_threads";
import { type Progress, type RebuildReport, type SearchHit, StoreError, type VerifyReport } from "../port.ts";
import type { FromReader, ReaderOptions, Repair, ToReader } from "./messages.ts";

/** The main thread's end of the reader. Its failure is the caller's to see; it never takes the writer along. */
export interface ReaderClient {
  readonly index: () => void;
  readonly search: (text: string, limit: number) => Promise<readonly SearchHit[]>;
  readonly verify: (progress?: Progress) => Promise<VerifyReport>;
  readonly compare: (progress?: Progress) => Promise<RebuildReport & { readonly repair: Repair }>;
  readonly close: () => Promise<void>;
}

interface Asked {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StoreError) => void;
  readonly progress: Progress | undefined;
}

const ASKS_MAX = 256;
/** Appends come in bursts; one pass a little later serves them all. */
const INDEX_DELAY_MS = 50;

export function startReader(options: ReaderOptions): ReaderClient {
  const asked = new Map<number, Asked>();
  const ended = Promise.withResolvers<void>();
  let asks = 0;
  let indexTimer: NodeJS.Timeout | null = null;
  let worker: Worker | null = null;

  const failAll = (error: StoreError): void => {
    for (const entry of asked.values()) entry.reject(error);
    asked.clear();
  };
  const hear = (message: FromReader): void => {
    if (message.kind === "closed") {
      ended.resolve();
      return;
    }
    const entry = asked.get(message.ask);
    if (message.kind === "progress") {
      entry?.progress?.(message.done, message.of);
      return;
    }
    asked.delete(message.ask);
    if (message.kind === "answer") entry?.resolve(message.value);
    else entry?.reject(new StoreError(message.code, message.details));
  };
  /** Started with its first use: a daemon that only runs sessions does not pay for it. */
  const running = (): Worker => {
    if (worker !== null) return worker;
    const started = new Worker(new URL("./reader-thread.ts", import.meta.url), { workerData: options });
    started.on("message", hear);
    started.on("error", (cause) => {
      worker = null;
      failAll(new StoreError("store_failed", { reason: String(cause) }, cause));
    });
    started.on("exit", () => {
      worker = null;
      ended.resolve();
      failAll(new StoreError("store_closed"));
    });
    worker = started;
    return started;
  };
  const post = (message: ToReader) => running().postMessage(message);
  const ask = <T>(make: (ask: number) => ToReader, progress?: Progress): Promise<T> => {
    if (asked.size >= ASKS_MAX) return Promise.reject(new StoreError("overloaded", { asksMax: ASKS_MAX }));
    asks += 1;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    asked.set(asks, { resolve: (value) => resolve(value as T), reject, progress });
    post(make(asks));
    return promise;
  };

  return {
    index: () => {
      indexTimer ??= setTimeout(() => {
        indexTimer = null;
        post({ kind: "index" });
      }, INDEX_DELAY_MS).unref();
    },
    search: (text, limit) => ask((id) => ({ kind: "search", ask: id, text, limit })),
    verify: (progress) => ask((id) => ({ kind: "verify", ask: id }), progress),
    compare: (progress) => ask((id) => ({ kind: "rebuild", ask: id }), progress),
    close: async () => {
      if (indexTimer !== null) clearTimeout(indexTimer);
      if (worker === null) return;
      post({ kind: "close" });
      await ended.promise;
      await worker?.terminate();
    },
  };
}
