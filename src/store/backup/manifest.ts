import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { memberOf } from "../../kernel/index.ts";
import { isErrno, translated } from "../files/durable-file.ts";
import { StoreError } from "../port.ts";

/** Written last: a folder without it is not a complete backup. */
export const MANIFEST = "backup.json";

/** Raised when the layout changes incompatibly. A higher format is refused. */
const FORMAT = 1;

export interface Manifest {
  readonly format: number;
  /** The version of Nomos, for people to read. */
  readonly version: string;
  readonly madeAt: string;
  /** The seq of the last event. */
  readonly size: number;
  readonly root: string;
  /** Named by events but already missing when the backup was made. */
  readonly missingBlobs: readonly string[];
  /** The sha256 of each small file, by path. The log and the blobs carry their own hashes. */
  readonly files: { readonly [path: string]: string };
}

export function manifestText(manifest: Omit<Manifest, "format">): string {
  return `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`;
}

export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  const bytes = await translated(async () => {
    const found = await lstat(path).catch(ifNotThere);
    if (found === null || !found.isFile() || found.size > MANIFEST_BYTES_MAX) return null;
    return readFile(path, "utf8");
  });
  if (bytes === null) throw invalid(folder, `there is no ${MANIFEST} in it`);
  const value = parsed(bytes);
  if (typeof value !== "object" || value === null) throw invalid(folder, `${MANIFEST} is not readable`);
  const member = (key: string) => memberOf(value, key);
  const format = member("format");
  if (typeof format === "number" && format > FORMAT)
    throw new StoreError("backup_newer", { from: folder, found: format, known: FORMAT });
  const [version, madeAt, size, root] = ["version", "madeAt", "size", "root"].map(member);
  const [missingBlobs, files] = [member("missingBlobs"), member("files")];
  if (
    format !== FORMAT ||
    typeof version !== "string" ||
    typeof madeAt !== "string" ||
    typeof size !== "number" ||
    typeof root !== "string" ||
    !isTexts(missingBlobs) ||
    typeof files !== "object" ||
    files === null
  )
    throw invalid(folder, `${MANIFEST} does not say what it must`);
  const hashes = Object.fromEntries(Object.entries(files).map(([name, hash]) => [name, String(hash)]));
  return { format, version, madeAt, size, root, missingBlobs, files: hashes };
}

/** Enough for the names of a million missing blobs. */
const MANIFEST_BYTES_MAX = 128 * 1024 * 1024;

export function invalid(
  from: string,
  problem: string,
  details: StoreError["details"] = {},
  cause?: unknown,
): StoreError {
  return new StoreError("backup_invalid", { from, problem, ...details }, cause);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function ifNotThere(cause: unknown): null {
  if (isErrno(cause, "ENOENT", "ENOTDIR")) return null;
  throw cause;
}
