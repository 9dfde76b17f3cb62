import { join } from "node:path";
import { readSmallFile, type Worktree } from "../../host/index.ts";
import type { Redactor } from "../../redaction/index.ts";

/** A larger file is no settings file, and nobody waits for it to be read. */
const LOOKED_AT_BYTES_MAX = 1_048_576;
const FILES_LOOKED_AT_MAX = 1000;

/** Carried files of a worktree that hold values of the vault: whoever works in it can read them there. */
export async function carriedSecrets(
  { path, carried }: Pick<Worktree, "path" | "carried">,
  redactor: Pick<Redactor, "look">,
): Promise<readonly string[]> {
  const files = carried.flatMap((one) => (one.sha256 === null ? (one.files ?? []) : [one]));
  const found: string[] = [];
  for (const file of files.slice(0, FILES_LOOKED_AT_MAX)) {
    // In latin1 each character is a byte.
    const text = await readSmallFile(join(path, file.path), LOOKED_AT_BYTES_MAX, "latin1").catch(() => null);
    if (text !== null && redactor.look(Buffer.from(text, "latin1")).findings.some(({ kind }) => kind === "vault"))
      found.push(file.path);
  }
  return found;
}
