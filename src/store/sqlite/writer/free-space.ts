import { existsSync } from "node:fs";
import { blobPath } from "../../files/blobs.ts";
import type { Turns } from "../../log/shared-or-alone.ts";
import { NOTHING } from "../../log/write-request.ts";
import type { Store } from "../../port.ts";
import type { PageReads } from "../reads/page-reads.ts";
import { type BlobFile, oldBlobs, removeTorn, sizeIfOld } from "./blob-sweep.ts";
import type { WriterClient } from "./writer-client.ts";

const VACUUM_PAGES = 1024;

/** Removes unnamed blobs and returns freed pages to the file system. */
export function createFreeSpace(deps: {
  readonly blobFolder: string;
  readonly reads: PageReads;
  readonly writer: Pick<WriterClient, "write">;
  /** Keeps sweeps from running while a blob is stored. */
  readonly bringing: Turns;
}): Pick<Store, "sweepBlobs" | "giveBack"> {
  const { blobFolder, reads, writer, bringing } = deps;
  const isOld = async ({ name }: BlobFile, minAgeMs: number) =>
    (await sizeIfOld(blobPath(blobFolder, name), minAgeMs)) !== null;

  const sweep = (found: readonly BlobFile[], minAgeMs: number, fence: number): Promise<readonly BlobFile[]> =>
    bringing.alone(async () => {
      const still = [];
      for (const file of found) if (await isOld(file, minAgeMs)) still.push(file);
      await writer.write({ ...NOTHING, fence, sweep: still.map(({ name }) => name), scrub: true });
      return still.filter(({ name }) => !existsSync(blobPath(blobFolder, name)));
    });

  return {
    sweepBlobs: async ({ fence, minAgeMs, dryRun }) => {
      let [blobs, bytes] = [0, 0];
      for await (const found of oldBlobs(blobFolder, minAgeMs, reads.isNamed)) {
        const gone = dryRun ? found : await sweep(found, minAgeMs, fence);
        blobs += gone.length;
        bytes += gone.reduce((sum, file) => sum + file.bytes, 0);
      }
      if (!dryRun) await bringing.alone(() => removeTorn(blobFolder, minAgeMs));
      return { blobs, bytes };
    },
    /** In portions, because all appends wait for each of them. */
    giveBack: async (fence) => {
      for (let left = reads.freePages(); left > 0; ) {
        await writer.write({ ...NOTHING, fence, vacuumPages: VACUUM_PAGES });
        const now = reads.freePages();
        if (now >= left) break;
        left = now;
      }
      await writer.write({ ...NOTHING, fence, scrub: true });
    },
  };
}
