import { areSame, sha256 } from "./bytes.ts";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
const HASH_BYTES = 32;

export function leafOf(hash: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return sha256(LEAF, hash);
}

/** The root that a leaf and its path lead to, as RFC 9162 (2.1.3.2) computes it; null when the path does not fit. */
export async function rootOfPath(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Promise<Uint8Array | null> {
  if (!isCount(index) || !isCount(size) || index >= size || leaf.length !== HASH_BYTES) return null;
  let [at, last] = [index, size - 1];
  let root = leaf;
  for (const hash of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      root = await sha256(NODE, hash, root);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else root = await sha256(NODE, root, hash);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? root : null;
}

/** A log at a moment: how many events, and the root of the tree over them. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** True when the log of `newer` begins with that of `older` (RFC 9162, 2.1.4.2). */
export async function isPrefix(older: TreeHead, newer: TreeHead, proof: readonly Uint8Array[]): Promise<boolean> {
  // Every log begins with the empty one: that proves nothing.
  if (!isCount(older.size) || !isCount(newer.size) || older.size === 0 || older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && areSame(older.root, newer.root);
  // A complete subtree is its own first hash.
  const [first, ...rest] = isPowerOfTwo(older.size) ? [older.root, ...proof] : proof;
  if (first === undefined) return false;
  let [at, last] = [older.size - 1, newer.size - 1];
  while (at % 2 === 1) [at, last] = [half(at), half(last)];
  let [ofOlder, ofNewer] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      ofOlder = await sha256(NODE, hash, ofOlder);
      ofNewer = await sha256(NODE, hash, ofNewer);
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)];
    } else ofNewer = await sha256(NODE, ofNewer, hash);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && areSame(ofOlder, older.root) && areSame(ofNewer, newer.root);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isPowerOfTwo(value: number): boolean {
  return Number.isInteger(Math.log2(value));
}

/** Not a shift: sizes go beyond 32 bits. */
function half(value: number): number {
  return Math.floor(value / 2);
}
