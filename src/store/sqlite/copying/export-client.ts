import { Worker } from "node:worker_threads";
import type { Json } from "../../../kernel/index.ts";
import type { WriteExport } from "../../bundle/exports.ts";
import type { BundleForm } from "../../bundle/place-bundle.ts";
import { type BundleReport, type BundleRequest, type SignedSize, StoreError, type StoreErrorCode } from "../../port.ts";

export interface ExportOptions {
  readonly path: string;
  readonly blobFolder: string;
  readonly temporary: string;
  readonly form: BundleForm;
  readonly key: string;
}

export type FromExport =
  | { readonly kind: "checkpoint" }
  | { readonly kind: "done"; readonly report: BundleReport }
  | { readonly kind: "failed"; readonly code: StoreErrorCode; readonly details: { readonly [key: string]: Json } };

/** Exports in a separate thread, because reads are synchronous. */
export function exportInThread(log: Pick<ExportOptions, "path" | "blobFolder">): WriteExport {
  return async ({ temporary, form }, request, closing) => {
    const workerData: ExportOptions = { ...log, temporary, form, key: request.key };
    const worker = new Worker(new URL("./export-thread.ts", import.meta.url), { workerData });
    const end = (): void => void worker.terminate();
    closing.addEventListener("abort", end, { once: true });
    try {
      return await follow(worker, request.checkpoint);
    } finally {
      closing.removeEventListener("abort", end);
      await worker.terminate();
    }
  };
}

function follow(worker: Worker, checkpoint: BundleRequest["checkpoint"]): Promise<BundleReport> {
  const { promise, resolve, reject } = Promise.withResolvers<BundleReport>();
  const send = (signed: SignedSize): void => worker.postMessage({ size: signed.size, note: signed.note });
  worker.on("message", (message: FromExport) => {
    if (message.kind === "checkpoint") checkpoint().then(send, reject);
    else if (message.kind === "done") resolve(message.report);
    else reject(new StoreError(message.code, message.details));
  });
  worker.on("error", (cause) => reject(new StoreError("store_failed", { reason: String(cause) }, cause)));
  worker.on("exit", () => reject(new StoreError("store_closed")));
  return promise;
}
