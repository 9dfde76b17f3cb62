import { HASH_BYTES, type Sha256, sameBytes } from "./chain.ts";

/**
 * The tree over the log (RFC 6962). A node is a complete subtree: level l, index i covers the 2^l leaves from i * 2^l
 * on. Incomplete subtrees (the right edge) are not stored but computed on request.
 */
export interface NodeRef {
  readonly level: number;
  readonly index: number;
}

/** Returns the hash of a complete subtree inside the tree. */
export type NodeAt = (level: number, index: number) => Uint8Array;

/** The complete subtrees that cover a tree, largest first: all that an append needs, whatever the size. */
export interface Frontier {
  readonly size: number;
  readonly nodes: readonly Uint8Array[];
}

export const EMPTY_FRONTIER: Frontier = { size: 0, nodes: [] };

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);

export function leafHash(sha256: Sha256, eventHash: Uint8Array): Uint8Array {
  return sha256(LEAF_PREFIX, eventHash);
}

export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(NODE_PREFIX, left, right);
}

/** Appends leaves; `onNode` gets every completed subtree, leaves included, each after its children. */
export function appendLeaves(
  sha256: Sha256,
  frontier: Frontier,
  leaves: Iterable<Uint8Array>,
  onNode?: (level: number, index: number, hash: Uint8Array) => void,
): Frontier {
  const nodes = [...frontier.nodes];
  let size = frontier.size;
  for (const leaf of leaves) {
    let hash = leaf;
    let level = 0;
    let index = size;
    onNode?.(level, index, hash);
    for (; index % 2 === 1; index = (index - 1) / 2) {
      hash = nodeHash(sha256, nodes.pop() ?? hash, hash);
      level += 1;
      onNode?.(level, (index - 1) / 2, hash);
    }
    nodes.push(hash);
    size += 1;
  }
  return { size, nodes };
}

/** Root of the empty tree: the hash of no bytes. */
export function rootOf(sha256: Sha256, frontier: Frontier): Uint8Array {
  return frontier.size === 0 ? sha256() : join(sha256, frontier.nodes);
}

/** The positions of the frontier's nodes in a tree of this size, in order. */
export function frontierRefs(size: number): readonly NodeRef[] {
  return cover(0, size);
}

/** The parts of an inclusion proof: each is one hash, made of the listed complete subtrees from left to right. */
export function inclusionParts(index: number, size: number): readonly (readonly NodeRef[])[] {
  checkPlace(index, size);
  const parts: (readonly NodeRef[])[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      parts.push(cover(middle, to));
      to = middle;
    } else {
      parts.push(cover(from, middle));
      from = middle;
    }
  }
  return parts.reverse();
}

/** The parts of a proof that the smaller tree is a prefix of the larger one. */
export function consistencyParts(first: number, second: number): readonly (readonly NodeRef[])[] {
  if (!isSize(first) || !isSize(second) || first > second)
    throw new RangeError(`a tree of ${first} is no beginning of one of ${second}`);
  if (first === 0) return [];
  const parts: (readonly NodeRef[])[] = [];
  let from = 0;
  let to = second;
  while (to > first) {
    const middle = from + splitOf(to - from);
    if (first <= middle) {
      parts.push(cover(middle, to));
      to = middle;
    } else {
      parts.push(cover(from, middle));
      from = middle;
    }
  }
  // Leftmost: this subtree is the older tree itself, whose root the reader already has.
  if (from > 0) parts.push(cover(from, to));
  return parts.reverse();
}

/** Computes the hashes of a proof, or of a frontier, from their nodes. */
export function hashParts(
  sha256: Sha256,
  parts: readonly (readonly NodeRef[])[],
  nodeAt: NodeAt,
): readonly Uint8Array[] {
  return parts.map((refs) =>
    join(
      sha256,
      refs.map(({ level, index }) => nodeAt(level, index)),
    ),
  );
}

export interface Inclusion {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly root: Uint8Array;
  readonly hashes: readonly Uint8Array[];
}

/** Whether the leaf is at its index in the tree with this root. */
export function verifyInclusion(sha256: Sha256, given: Inclusion): boolean {
  const { leaf, index, size, root, hashes } = given;
  if (!isSize(index) || !isSize(size) || index >= size || !areHashes([leaf, ...hashes])) return false;
  let hash = leaf;
  let at = index;
  let last = size - 1;
  for (const sibling of hashes) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(sha256, sibling, hash);
      // A lone node on the right edge moves up unchanged until it is a right child.
      while (at % 2 === 0) {
        at = half(at);
        last = half(last);
      }
    } else hash = nodeHash(sha256, hash, sibling);
    at = half(at);
    last = half(last);
  }
  return last === 0 && sameBytes(hash, root);
}

export interface Consistency {
  readonly first: number;
  readonly second: number;
  readonly firstRoot: Uint8Array;
  readonly secondRoot: Uint8Array;
  readonly hashes: readonly Uint8Array[];
}

/** Whether the tree with the first root is a prefix of the tree with the second. */
export function verifyConsistency(sha256: Sha256, given: Consistency): boolean {
  const { first, second, firstRoot, secondRoot, hashes } = given;
  if (!isSize(first) || !isSize(second) || first > second) return false;
  if (!areHashes([firstRoot, secondRoot, ...hashes])) return false;
  // Every tree starts with the empty one: only the empty root itself must be right.
  if (first === 0 && !sameBytes(firstRoot, sha256())) return false;
  if (first === second) return hashes.length === 0 && sameBytes(firstRoot, secondRoot);
  if (first === 0) return hashes.length === 0;
  // For a power of two the older root is a complete subtree, so the proof leaves it out.
  const path = first === 1 || splitOf(first) * 2 === first ? [firstRoot, ...hashes] : hashes;
  const [start, ...rest] = path;
  if (start === undefined) return false;
  let at = first - 1;
  let last = second - 1;
  for (; at % 2 === 1; at = half(at)) last = half(last);
  let older = start;
  let newer = start;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      older = nodeHash(sha256, sibling, older);
      newer = nodeHash(sha256, sibling, newer);
      while (at % 2 === 0) {
        at = half(at);
        last = half(last);
      }
    } else newer = nodeHash(sha256, newer, sibling);
    at = half(at);
    last = half(last);
  }
  return last === 0 && sameBytes(older, firstRoot) && sameBytes(newer, secondRoot);
}

/**
 * The complete subtrees that cover the leaves `from` to `to`, from left to right. `from` begins a subtree that reaches to
 * `to` or beyond, so the largest one that fits is always in its place.
 */
function cover(from: number, to: number): readonly NodeRef[] {
  const refs: NodeRef[] = [];
  let at = from;
  while (at < to) {
    let level = 0;
    let width = 1;
    while (at + width * 2 <= to) {
      level += 1;
      width *= 2;
    }
    refs.push({ level, index: at / width });
    at += width;
  }
  return refs;
}

function join(sha256: Sha256, hashes: readonly Uint8Array[]): Uint8Array {
  return hashes.reduceRight((right, left) => nodeHash(sha256, left, right));
}

/** The largest power of two below a size. Sizes exceed the range of bit operations. */
function splitOf(size: number): number {
  let width = 1;
  while (width * 2 < size) width *= 2;
  return width;
}

function checkPlace(index: number, size: number): void {
  if (!isSize(index) || !isSize(size) || index >= size)
    throw new RangeError(`there is no leaf ${index} in a tree of ${size}`);
}

function areHashes(hashes: readonly Uint8Array[]): boolean {
  return hashes.every((hash) => hash.length === HASH_BYTES);
}

function half(value: number): number {
  return Math.floor(value / 2);
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
