import { translated } from "../files/durable-file.ts";
import { type BundleReport, type BundleRequest, StoreError } from "../port.ts";
import { type BundlePlace, claimPlace } from "./place-bundle.ts";

export interface Exports {
  readonly run: (request: BundleRequest) => Promise<BundleReport>;
  /** Aborts the running export and removes its files. */
  readonly close: () => Promise<void>;
}

/** Writes a bundle into a place; stops when the signal aborts. */
export type WriteExport = (place: BundlePlace, request: BundleRequest, closing: AbortSignal) => Promise<BundleReport>;

/** Runs one export at a time: each reads the whole log, so two at once would both be slower. */
export function createExports(write: WriteExport): Exports {
  const closing = new AbortController();
  let underWay: Promise<BundleReport> | null = null;

  const work = async (request: BundleRequest): Promise<BundleReport> => {
    const place = await claimPlace(request.path);
    try {
      if (closing.signal.aborted) throw new StoreError("store_closed");
      const report = await translated(() => write(place, request, closing.signal));
      await place.complete();
      return report;
    } finally {
      await place.abandon();
    }
  };
  return {
    run: (request) => {
      if (closing.signal.aborted) return Promise.reject(new StoreError("store_closed"));
      if (underWay !== null)
        return Promise.reject(new StoreError("overloaded", { reason: "another export is running" }));
      underWay = work(request).finally(() => {
        underWay = null;
      });
      return underWay;
    },
    close: async () => {
      closing.abort();
      await underWay?.catch(() => undefined);
    },
  };
}
