import { createReadStream } from "node:fs";
import { type FileHandle, lstat, open, opendir } from "node:fs/promises";
import { join } from "node:path";

/** One file of a bundle, and where its bytes lie: in a file of its own, or in a tar file. */
export interface BundlePart {
  readonly name: string;
  readonly path: string;
  readonly start: number;
  readonly bytes: number;
}

/** A line of `events.jsonl`. `text` is the line itself when it is none that we write. */
export type ExportedLine =
  | { readonly kind: "event"; readonly header: string; readonly data: Uint8Array | null }
  | { readonly kind: "other"; readonly text: string };

const BLOCK_BYTES = 512;
/** More than an event of the largest size takes up. A longer line is handed out in pieces. */
const LINE_CHARS_MAX = 16_777_216;

/** The files of a bundle, or of any other file or folder that lies where bundles do. Symbolic links are not followed. */
export async function* bundleParts(path: string): AsyncGenerator<BundlePart> {
  const found = await lstat(path);
  if (found.isDirectory()) yield* filesBelow(path, "");
  else if (found.isFile() && path.endsWith(".tar")) yield* tarEntries(path, found.size);
  else if (found.isFile()) yield { name: "", path, start: 0, bytes: found.size };
}

async function* filesBelow(folder: string, name: string): AsyncGenerator<BundlePart> {
  for await (const entry of await opendir(join(folder, name))) {
    const inner = join(name, entry.name);
    if (entry.isDirectory()) yield* filesBelow(folder, inner);
    if (!entry.isFile()) continue;
    const path = join(folder, inner);
    yield { name: inner, path, start: 0, bytes: (await lstat(path)).size };
  }
}

/** A file that is no tar is handed out as one part, so that nothing stays unread. */
async function* tarEntries(path: string, size: number): AsyncGenerator<BundlePart> {
  const file = await open(path, "r");
  try {
    for (let at = 0; at < size; ) {
      const entry = await entryAt(file, at);
      if (entry === "end") return;
      if (entry === null) return yield { name: "", path, start: at, bytes: size - at };
      yield { name: entry.name, path, start: at + BLOCK_BYTES, bytes: entry.bytes };
      at += BLOCK_BYTES * (1 + Math.ceil(entry.bytes / BLOCK_BYTES));
    }
  } finally {
    await file.close();
  }
}

async function entryAt(
  file: FileHandle,
  at: number,
): Promise<{ readonly name: string; readonly bytes: number } | "end" | null> {
  const block = Buffer.alloc(BLOCK_BYTES);
  const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, at);
  if (block.every((byte) => byte === 0)) return "end";
  if (bytesRead < BLOCK_BYTES || block.toString("latin1", 257, 262) !== "ustar") return null;
  const isBinary = block[124] === 0x80;
  const bytes = isBinary ? Number(block.readBigUInt64BE(128)) : Number.parseInt(block.toString("latin1", 124, 135), 8);
  const name = block.toString("latin1", 0, 100).replace(/\0.*$/s, "");
  return Number.isSafeInteger(bytes) && bytes >= 0 ? { name, bytes } : null;
}

export async function* partBytes({ path, start, bytes }: BundlePart): AsyncGenerator<Buffer> {
  if (bytes > 0) yield* createReadStream(path, { start, end: start + bytes - 1 });
}

export async function* bundleLines(part: BundlePart): AsyncGenerator<ExportedLine> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of partBytes(part)) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines.map(lineOf);
    if (rest.length <= LINE_CHARS_MAX) continue;
    yield { kind: "other", text: rest };
    rest = "";
  }
  if (rest !== "") yield lineOf(rest);
}

function lineOf(text: string): ExportedLine {
  const { header, data } = membersOf(text);
  if (typeof header !== "string" || (data !== null && typeof data !== "string")) return { kind: "other", text };
  return { kind: "event", header, data: data === null ? null : Buffer.from(data, "base64") };
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
