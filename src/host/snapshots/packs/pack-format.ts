import { hash } from "node:crypto";

/**
 * A pack: magic, blocks, index, footer. A block holds many small objects or one large one, compressed together. The
 * index, sorted by name, gives each object's place in its block. A pack is written once and renamed when it is complete
 * and flushed, so that an incomplete pack never has its final name.
 */
export const MAGIC = Buffer.from("NOMOSPK1", "latin1");

/** Where an object's bytes are: the block in the file, and the object in the block. */
export interface Place {
  readonly blockAt: number;
  readonly blockBytes: number;
  readonly isPacked: boolean;
  readonly at: number;
  readonly bytes: number;
}

export interface IndexEntry extends Place {
  /** sha256 in hex. */
  readonly name: string;
}

const NAME_BYTES = 32;
const ENTRY_BYTES = NAME_BYTES + 6 + 4 + 1 + 4 + 4;
export const FOOTER_BYTES = 6 + 4 + 32 + MAGIC.length;

export function encodeIndex(entries: readonly IndexEntry[]): Buffer {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const bytes = Buffer.alloc(sorted.length * ENTRY_BYTES);
  for (const [n, entry] of sorted.entries()) {
    let at = n * ENTRY_BYTES;
    at += bytes.write(entry.name, at, "hex");
    at = bytes.writeUIntBE(entry.blockAt, at, 6);
    at = bytes.writeUInt32BE(entry.blockBytes, at);
    at = bytes.writeUInt8(entry.isPacked ? 1 : 0, at);
    at = bytes.writeUInt32BE(entry.at, at);
    bytes.writeUInt32BE(entry.bytes, at);
  }
  return bytes;
}

export function encodeFooter(indexAt: number, index: Buffer): Buffer {
  const bytes = Buffer.alloc(FOOTER_BYTES);
  let at = bytes.writeUIntBE(indexAt, 0, 6);
  at = bytes.writeUInt32BE(index.length / ENTRY_BYTES, at);
  at += bytes.write(hash("sha256", index), at, "hex");
  MAGIC.copy(bytes, at);
  return bytes;
}

/** Null for bytes that are no footer. */
export function decodeFooter(bytes: Buffer): { readonly indexAt: number; readonly count: number } | null {
  if (bytes.length !== FOOTER_BYTES || !bytes.subarray(FOOTER_BYTES - MAGIC.length).equals(MAGIC)) return null;
  return { indexAt: bytes.readUIntBE(0, 6), count: bytes.readUInt32BE(6) };
}

export function isIndexWhole(index: Buffer, footer: Buffer): boolean {
  return hash("sha256", index) === footer.toString("hex", 10, 10 + NAME_BYTES);
}

export function indexBytes(count: number): number {
  return count * ENTRY_BYTES;
}

/** Binary search in the sorted index. */
export function findIn(index: Buffer, name: string): Place | null {
  const wanted = Buffer.from(name, "hex");
  let [low, high] = [0, index.length / ENTRY_BYTES - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = middle * ENTRY_BYTES;
    const order = index.compare(wanted, 0, NAME_BYTES, at, at + NAME_BYTES);
    if (order === 0) return placeAt(index, middle);
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

export function entryAt(index: Buffer, n: number): IndexEntry {
  const name = index.toString("hex", n * ENTRY_BYTES, n * ENTRY_BYTES + NAME_BYTES);
  return { name, ...placeAt(index, n) };
}

export function entryCount(index: Buffer): number {
  return index.length / ENTRY_BYTES;
}

function placeAt(index: Buffer, n: number): Place {
  const at = n * ENTRY_BYTES + NAME_BYTES;
  return {
    blockAt: index.readUIntBE(at, 6),
    blockBytes: index.readUInt32BE(at + 6),
    isPacked: index.readUInt8(at + 10) === 1,
    at: index.readUInt32BE(at + 11),
    bytes: index.readUInt32BE(at + 15),
  };
}
