import { createHash } from "node:crypto";
import { readlink } from "node:fs/promises";
import { type HeldFolder, holdFolder } from "../files/held-folder.ts";
import { inParent, statAt } from "../worktrees/apply/take-file.ts";

/** A file as it is now. */
export interface FileFacts {
  /** As git would name its bytes, without filters; null when it is too large to read. */
  readonly id: string | null;
  /** Zero for a file that is no text, or too large. */
  readonly lines: number;
}

const FILE_BYTES_MAX = 8_388_608;
/** Where git looks for a zero byte. */
const TEXT_BYTES = 8000;

/** Read without following links, and without blocking on a pipe. Paths where no file is are left out. */
export async function readFacts(
  tree: string,
  paths: readonly string[],
  objectFormat: "sha1" | "sha256",
): Promise<ReadonlyMap<string, FileFacts>> {
  const found = new Map<string, FileFacts>();
  if (paths.length === 0) return found;
  await using root = await holdFolder(tree);
  if (root === null) return found;
  for (const path of paths) {
    const facts = await factsAt(root, path, objectFormat);
    if (facts !== null) found.set(path, facts);
  }
  return found;
}

async function factsAt(root: HeldFolder, path: string, format: "sha1" | "sha256"): Promise<FileFacts | null> {
  return inParent(root, path, async (parent, name): Promise<FileFacts | null> => {
    const stats = parent === null ? null : await statAt(parent, name);
    if (parent === null || stats === null) return null;
    if (stats.isSymbolicLink()) {
      const target = await readlink(parent.at(name), { encoding: "buffer" });
      return { id: blobId(format, target), lines: 1 };
    }
    // A repository in place of a folder.
    if (!stats.isFile()) return { id: null, lines: 0 };
    if (stats.size > FILE_BYTES_MAX) return { id: null, lines: 0 };
    await using file = await parent.file(name);
    if (file === null) return null;
    const size = Number(stats.size);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
    const content = buffer.subarray(0, bytesRead);
    return { id: blobId(format, content), lines: linesIn(content) };
  }).catch((thrown: unknown) => {
    // It was replaced meanwhile, or its rights were taken away: it is there, and nothing more is known.
    if (thrown instanceof Error && "code" in thrown) return { id: null, lines: 0 };
    throw thrown;
  });
}

function linesIn(content: Buffer): number {
  if (content.subarray(0, TEXT_BYTES).includes(0)) return 0;
  let lines = content.length > 0 && content.at(-1) !== LINE_END ? 1 : 0;
  for (let at = content.indexOf(LINE_END); at >= 0; at = content.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}

const LINE_END = 10;

function blobId(format: "sha1" | "sha256", content: Buffer): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest("hex");
}
