import { Worker } from "node:worker_threads";
import type { Json } from "../../../kernel/index.ts";
import { type LogCopy, type Progress, StoreError, type StoreErrorCode } from "../../port.ts";

export interface CopyOptions {
  readonly path: string;
  readonly blobFolder: string;
  /** An empty folder for the copy. */
  readonly folder: string;
}

export type FromCopy =
  | { readonly kind: "progress"; readonly done: number; readonly of: number }
  | { readonly kind: "done"; readonly copy: LogCopy }
  | { readonly kind: "failed"; readonly code: StoreErrorCode; readonly details: { readonly [key: string]: Json } };

/** Copies in a separate thread, because reading and writing the pages would block the main thread. */
export async function copyInThread(
  options: CopyOptions,
  progress: Progress | undefined,
  closing: AbortSignal,
): Promise<LogCopy> {
  const worker = new Worker(new URL("./copy-thread.ts", import.meta.url), { workerData: options });
  const end = (): void => void worker.terminate();
  closing.addEventListener("abort", end, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<LogCopy>();
  worker.on("message", (message: FromCopy) => {
    if (message.kind === "progress") progress?.(message.done, message.of);
    else if (message.kind === "done") resolve(message.copy);
    else reject(new StoreError(message.code, message.details));
  });
  worker.on("error", (cause) => reject(new StoreError("store_failed", { reason: String(cause) }, cause)));
  worker.on("exit", () => reject(new StoreError("store_closed")));
  try {
    if (closing.aborted) throw new StoreError("store_closed");
    return await promise;
  } finally {
    closing.removeEventListener("abort", end);
    await worker.terminate();
  }
}
