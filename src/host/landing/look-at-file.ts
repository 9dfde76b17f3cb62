import { createHash } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { holdFolder } from "../files/held-folder.ts";
import { inParent, stampOf, statAt } from "../worktrees/apply/take-file.ts";

/** A file or a link as it lies in a folder. */
export interface Seen {
  readonly mode: string;
  readonly sha256: string;
  readonly stamp: string;
  readonly bytes: number;
}

/** Null: nothing, or a folder. `other`: what cannot be read as a file, or a larger one. Links are not followed. */
export async function lookAt(
  root: string,
  path: string,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<Seen | null | "other"> {
  await using held = await holdFolder(root);
  if (held === null) return "other";
  return await inParent(held, path, async (parent, name) => {
    if (parent === null) return null;
    const found = await statAt(parent, name);
    if (found === null || found.isDirectory()) return null;
    const about = { stamp: stampOf(found), bytes: Number(found.size) };
    if (found.isSymbolicLink())
      return { mode: "120000", sha256: hashOf(await readlink(parent.at(name), { encoding: "buffer" })), ...about };
    if (!found.isFile() || about.bytes > bytesMax) return "other";
    const mode = (found.mode & 0o100n) === 0n ? "100644" : "100755";
    return { mode, sha256: hashOf(await readFile(parent.at(name))), ...about };
  });
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
