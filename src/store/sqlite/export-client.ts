import { Worker } from "node:worker_threads";
import type { Json } from "../../kernel/index.ts";
import { type BundleForm, claimPlace } from "../bundle/place-bundle.ts";
import { type BundleReport, type BundleRequest, type SignedSize, StoreError, type StoreErrorCode } from "../port.ts";

export interface ExportOptions {
  readonly path: string;
  readonly blobFolder: string;
  readonly temporary: string;
  readonly form: BundleForm;
  readonly key: string;
  readonly nowSeconds: number;
}

export type FromExport =
  | { readonly kind: "checkpoint" }
  | { readonly kind: "done"; readonly report: BundleReport }
  | { readonly kind: "failed"; readonly code: StoreErrorCode; readonly details: { readonly [key: string]: Json } };

export interface ExportClient {
  readonly run: (request: BundleRequest) => Promise<BundleReport>;
  /** Ends what is under way; nothing of it is left behind. */
  readonly close: () => Promise<void>;
}

/** One at a time: it reads all there is, and two would only be slower. */
export function createExports(log: Pick<ExportOptions, "path" | "blobFolder">): ExportClient {
  let underWay: Promise<BundleReport> | null = null;
  let worker: Worker | null = null;
  let closed = false;

  const work = async (request: BundleRequest): Promise<BundleReport> => {
    const place = await claimPlace(request.path);
    try {
      if (closed) throw new StoreError("store_closed");
      const { temporary, form } = place;
      const nowSeconds = Math.floor(Date.now() / 1000);
      const workerData: ExportOptions = { ...log, temporary, form, key: request.key, nowSeconds };
      worker = new Worker(new URL("./export-thread.ts", import.meta.url), { workerData });
      const report = await follow(worker, request.checkpoint);
      await place.complete();
      return report;
    } finally {
      await worker?.terminate();
      worker = null;
      await place.abandon();
    }
  };
  return {
    run: (request) => {
      if (closed) return Promise.reject(new StoreError("store_closed"));
      if (underWay !== null)
        return Promise.reject(new StoreError("overloaded", { reason: "another export is under way" }));
      underWay = work(request).finally(() => {
        underWay = null;
      });
      return underWay;
    },
    close: async () => {
      closed = true;
      await worker?.terminate();
      await underWay?.catch(() => undefined);
    },
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
