import { number } from "../../log/encoding.ts";
import { type BlobSweep, StoreError, type SweptBlobs } from "../../port.ts";
import { inTransaction } from "../connection/transaction.ts";
import type { Use } from "../reads/reader.ts";

const SWEEP_MAX = 500;

/**
 * Removes blobs that no event names, in batches under the head's lock. An append that names such a blob either came
 * before, and the blob stays, or comes after and is refused. A blob that is being stored is skipped.
 */
export async function sweepBlobs(use: Use, { fence, minAgeMs, dryRun }: BlobSweep): Promise<SweptBlobs> {
  if (dryRun)
    return use(async ({ query }) => {
      const [found] = await query(
        `SELECT count(*) AS blobs, coalesce(sum(octet_length(packed)), 0)::bigint AS bytes FROM blobs b WHERE ${UNNAMED}`,
        minAgeMs,
      );
      return { blobs: number(found?.["blobs"]), bytes: number(found?.["bytes"]) };
    });
  let [blobs, bytes] = [0, 0];
  for (;;) {
    const gone = await use((connection) =>
      inTransaction(connection, async () => {
        const [head] = await connection.query("SELECT fence FROM head FOR UPDATE");
        if (head?.["fence"] !== fence) throw new StoreError("stale_fence", { fence, current: number(head?.["fence"]) });
        return connection.query(REMOVE, minAgeMs);
      }),
    );
    blobs += gone.length;
    bytes += gone.reduce((sum, row) => sum + number(row["bytes"]), 0);
    if (gone.length < SWEEP_MAX) return { blobs, bytes };
  }
}

const UNNAMED = `b.put_at <= clock_timestamp() - $1::double precision * interval '1 millisecond'
  AND NOT EXISTS (SELECT 1 FROM event_blobs e WHERE e.blob = b.blob)`;
const REMOVE = `
  WITH unnamed AS MATERIALIZED (SELECT b.blob FROM blobs b WHERE ${UNNAMED} LIMIT ${SWEEP_MAX} FOR UPDATE SKIP LOCKED),
  noted AS (INSERT INTO gone_blobs(blob) SELECT blob FROM unnamed ON CONFLICT DO NOTHING)
  DELETE FROM blobs WHERE blob IN (SELECT blob FROM unnamed) RETURNING octet_length(packed) AS bytes`;
