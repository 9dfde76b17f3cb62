import { type Blobs, digest, pack, refuseLarge, unpack } from "../../files/blobs.ts";
import { bytes } from "../../log/encoding.ts";
import { inTransaction } from "../connection/transaction.ts";
import type { Use } from "../reads/reader.ts";

/** Content-addressed bytes in a table, compressed and stored once, so that the database is all there is to back up. */
export function createBlobs(use: Use): Blobs {
  const read = async (sha256: string, packed: unknown): Promise<Uint8Array> => unpack(sha256, bytes(packed));
  return {
    put: async (given, mayKeep) => {
      refuseLarge(given);
      const sha256 = digest(given);
      const packed = await pack(given);
      const name = Buffer.from(sha256, "hex");
      await use((connection) =>
        inTransaction(connection, async () => {
          // Waits for an erasure that may delete the blob; it is then stored again.
          const [known] = await connection.query("SELECT packed FROM blobs WHERE blob = $1 FOR NO KEY UPDATE", name);
          const isWhole =
            known !== undefined &&
            (await read(sha256, known["packed"]).then(
              () => true,
              () => false,
            ));
          if (!isWhole) mayKeep?.(packed.length);
          // Resets the blob's age, because an event is about to name it and a sweep must not take it.
          if (isWhole) await connection.query("UPDATE blobs SET put_at = clock_timestamp() WHERE blob = $1", name);
          else
            await connection.query(
              "INSERT INTO blobs(blob, packed) VALUES ($1, $2) ON CONFLICT (blob) DO UPDATE SET packed = excluded.packed, put_at = clock_timestamp()",
              name,
              packed,
            );
          await connection.query("DELETE FROM gone_blobs WHERE blob = $1", name);
        }),
      );
      return sha256;
    },
    get: async (sha256) => {
      if (!/^[0-9a-f]{64}$/.test(sha256)) return null;
      const [found] = await use((connection) =>
        connection.query("SELECT packed FROM blobs WHERE blob = $1", Buffer.from(sha256, "hex")),
      );
      return found === undefined ? null : read(sha256, found["packed"]);
    },
  };
}
