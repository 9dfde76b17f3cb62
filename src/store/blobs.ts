import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { StoreError } from "./port.ts";

/** Content-addressed bytes in files: compressed, written once, durable before the event that names them. */
export interface Blobs {
  readonly put: (bytes: Uint8Array) => Promise<string>;
  readonly get: (sha256: string) => Promise<Uint8Array | null>;
  readonly remove: (sha256: string) => Promise<void>;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export function createBlobs(folder: string): Blobs {
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), `${sha256}.zst`);
  return {
    put: async (bytes) => {
      const sha256 = digest(bytes);
      const path = pathOf(sha256);
      if (await exists(path)) return sha256;
      await writeDurably(path, await compress(bytes));
      return sha256;
    },
    get: async (sha256) => {
      if (!/^[0-9a-f]{64}$/.test(sha256) || !(await exists(pathOf(sha256)))) return null;
      const bytes = await decompress(await readFile(pathOf(sha256))).catch((cause: unknown) => {
        throw new StoreError("log_corrupt", { blob: sha256, problem: "does not unpack" }, cause);
      });
      if (digest(bytes) !== sha256) throw new StoreError("log_corrupt", { blob: sha256, problem: "hash_mismatch" });
      return bytes;
    },
    remove: (sha256) => rm(pathOf(sha256), { force: true }),
  };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "w", 0o600);
    await file.writeFile(bytes).finally(() => file.sync().finally(() => file.close()));
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (cause) {
    await rm(temporary, { force: true });
    const full = cause instanceof Error && "code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT");
    throw new StoreError(full ? "disk_full" : "store_failed", { what: "blob", reason: String(cause) }, cause);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
