import { closeSync, openSync, writeSync } from "node:fs";
import type { RepositoryView } from "./repository-view.ts";

/** Writes a blob to a file as it is stored. */
export async function writeBlob({ git }: Pick<RepositoryView, "git">, id: string, to: string): Promise<void> {
  const file = openSync(to, "w", 0o600);
  try {
    await git.must(["cat-file", "blob", id], {
      take: (chunk) => {
        writeSync(file, chunk);
        return null;
      },
    });
  } finally {
    closeSync(file);
  }
}

/** Hands over blobs one after another, in order. One that is missing, or no blob, is handed over as null. */
export async function readBlobs(
  { git }: Pick<RepositoryView, "git">,
  ids: readonly string[],
  each: (id: string, bytes: Buffer | null) => void,
): Promise<void> {
  if (ids.length === 0) return;
  const reader = createBatchReader(ids, each);
  await git.must(["cat-file", "--batch"], {
    input: ids.map((id) => `${id}\n`).join(""),
    take: reader,
    timeoutMs: READ_TIMEOUT_MS,
  });
}

const READ_TIMEOUT_MS = 600_000;
const NEWLINE = 10;

/** The answer of `cat-file --batch`: a line with type and size, the bytes, a newline. */
function createBatchReader(ids: readonly string[], each: (id: string, bytes: Buffer | null) => void) {
  let held: Buffer[] = [];
  let bytes = 0;
  let needed = 0;
  let at = 0;
  const joined = (): Buffer => {
    const whole = held.length === 1 ? (held[0] ?? Buffer.alloc(0)) : Buffer.concat(held);
    held = [whole];
    return whole;
  };
  return (chunk: Buffer): null => {
    held.push(chunk);
    bytes += chunk.length;
    while (bytes > needed) {
      const whole = joined();
      const end = whole.indexOf(NEWLINE);
      if (end < 0) return null;
      const [, type, size] = whole.subarray(0, end).toString().split(" ");
      const isThere = type !== undefined && size !== undefined;
      const length = isThere ? Number(size) + 1 : 0;
      if (whole.length < end + 1 + length) {
        needed = end + length;
        return null;
      }
      const content = whole.subarray(end + 1, end + length);
      each(ids[at] ?? "", isThere && type === "blob" ? content : null);
      at += 1;
      const rest = whole.subarray(end + 1 + length);
      held = rest.length === 0 ? [] : [rest];
      bytes = rest.length;
      needed = 0;
    }
    return null;
  };
}
