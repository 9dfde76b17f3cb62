import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { sha256 } from "../../../test/support/node-sha256.ts";
import { proves } from "../../../test/support/proves.ts";
import { hex } from "./chain.ts";
import {
  appendLeaves,
  consistencyParts,
  EMPTY_FRONTIER,
  type Frontier,
  frontierRefs,
  hashParts,
  inclusionParts,
  leafHash,
  type NodeAt,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from "./merkle.ts";

/**
 * Test data of the Certificate Transparency project: leaves, and the roots of the trees over the first 0 to 8 of them.
 */
const CT_LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const CT_ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/** Valid and invalid proofs that transparency-dev/merkle (Apache-2.0) publishes for other implementations. */
const CT_PROOFS = readFileSync(join(import.meta.dirname, "../../../test/vectors/rfc6962.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line): CtProof => JSON.parse(line));

type CtProof = { readonly name: string; readonly proof: readonly string[] | null; readonly wantErr: boolean } & (
  | { readonly kind: "inclusion"; leafIdx: number; treeSize: number; root: string; leafHash: string }
  | { readonly kind: "consistency"; size1: number; size2: number; root1: string | null; root2: string | null }
);

const SIZE_MAX = 700;
const size = fc.integer({ min: 1, max: SIZE_MAX });

proves("K60", "the roots equal those that Certificate Transparency publishes", () => {
  const leaves = CT_LEAVES.map((leaf) => leafHash(sha256, Buffer.from(leaf, "hex")));
  expect(CT_ROOTS.map((_, n) => hex(rootOf(sha256, appendLeaves(sha256, EMPTY_FRONTIER, leaves.slice(0, n)))))).toEqual(
    CT_ROOTS,
  );
});

proves("K60", "appending in any batches gives the same root and nodes as the naive recursion", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 12 }), (portions) => {
      let tree: Frontier = EMPTY_FRONTIER;
      let count = 0;
      const seen = new Map<string, Uint8Array>();
      for (const portion of portions) {
        const leaves = Array.from({ length: portion }, (_, n) => leafOf(count + n));
        tree = appendLeaves(sha256, tree, leaves, (level, index, hash) => seen.set(`${level}/${index}`, hash));
        count += portion;
      }
      expect(tree.size).toBe(count);
      expect(hex(rootOf(sha256, tree))).toBe(hex(naiveRoot(0, count)));
      for (const [place, hash] of seen) {
        const [level = 0, index = 0] = place.split("/").map(Number);
        expect(hex(hash)).toBe(hex(naiveRoot(index * 2 ** level, (index + 1) * 2 ** level)));
      }
      expect(frontierRefs(count).map(({ level, index }) => hex(naiveNode(level, index)))).toEqual(tree.nodes.map(hex));
    }),
    { numRuns: 40 },
  );
});

proves("K61", "an inclusion proof equals the RFC's and verifies", () => {
  fc.assert(
    fc.property(size, fc.nat(), (count, some) => {
      const index = some % count;
      const hashes = hashParts(sha256, inclusionParts(index, count), naiveNode);
      expect(hashes.map(hex)).toEqual(naiveInclusion(index, 0, count).map(hex));
      const root = naiveRoot(0, count);
      expect(verifyInclusion(sha256, { leaf: leafOf(index), index, size: count, root, hashes })).toBe(true);
    }),
  );
});

proves("K61", "a consistency proof equals the RFC's and verifies", () => {
  fc.assert(
    fc.property(size, fc.nat(), (second, some) => {
      const first = some % (second + 1);
      const hashes = hashParts(sha256, consistencyParts(first, second), naiveNode);
      const expected = first === 0 || first === second ? [] : naiveConsistency(first, 0, second, true);
      expect(hashes.map(hex)).toEqual(expected.map(hex));
      const roots = { firstRoot: naiveRoot(0, first), secondRoot: naiveRoot(0, second) };
      expect(verifyConsistency(sha256, { first, second, ...roots, hashes })).toBe(true);
    }),
  );
});

proves("K61", "every proof of the smallest trees is correct", () => {
  for (let second = 0; second <= 33; second += 1) {
    const root = naiveRoot(0, second);
    for (let first = 0; first <= second; first += 1) {
      const hashes = hashParts(sha256, consistencyParts(first, second), naiveNode);
      const given = { first, second, firstRoot: naiveRoot(0, first), secondRoot: root, hashes };
      expect(verifyConsistency(sha256, given)).toBe(true);
      if (first === second) continue;
      const path = hashParts(sha256, inclusionParts(first, second), naiveNode);
      expect(verifyInclusion(sha256, { leaf: leafOf(first), index: first, size: second, root, hashes: path })).toBe(
        true,
      );
    }
  }
});

proves("K62", "a proof with one changed bit, one hash more or less, or another position is refused", () => {
  fc.assert(
    fc.property(size, fc.nat(), fc.nat(), (count, some, spot) => {
      const index = some % count;
      const hashes = naiveInclusion(index, 0, count);
      const good = { leaf: leafOf(index), index, size: count, root: naiveRoot(0, count), hashes };
      const bad = [
        ...flips(hashes, spot).map((changed) => ({ ...good, hashes: changed })),
        { ...good, leaf: leafOf(count + 1) },
        { ...good, root: leafOf(count + 2) },
        { ...good, index: index + 1 },
        { ...good, index: count },
        { ...good, index: -1 },
        { ...good, index: index + 0.5 },
        { ...good, hashes: [...hashes, leafOf(0)] },
        ...(hashes.length === 0
          ? []
          : [
              { ...good, hashes: hashes.slice(1) },
              { ...good, hashes: hashes.slice(0, -1) },
            ]),
      ];
      expect(bad.filter((proof) => verifyInclusion(sha256, proof))).toEqual([]);
    }),
  );
});

proves("K62", "a tree that is not a prefix of the other: no consistency proof verifies", () => {
  fc.assert(
    fc.property(size, fc.nat(), fc.nat(), (second, some, spot) => {
      const first = 1 + (some % second);
      const hashes = first === second ? [] : naiveConsistency(first, 0, second, true);
      const good = { first, second, firstRoot: naiveRoot(0, first), secondRoot: naiveRoot(0, second), hashes };
      const bad = [
        ...flips(hashes, spot).map((changed) => ({ ...good, hashes: changed })),
        { ...good, firstRoot: leafOf(second + 1) },
        { ...good, secondRoot: leafOf(second + 1) },
        { ...good, hashes: [...hashes, leafOf(0)] },
        { ...good, first: second + 1 },
        { ...good, first: 0 },
        ...(hashes.length === 0
          ? []
          : [
              { ...good, hashes: hashes.slice(1) },
              { ...good, hashes: hashes.slice(0, -1) },
            ]),
      ];
      expect(bad.filter((proof) => verifyConsistency(sha256, proof))).toEqual([]);
    }),
  );
});

proves("K62", "the published proofs get the published verdicts, valid and invalid", () => {
  expect(CT_PROOFS.length).toBeGreaterThan(150);
  // Some cases have plain words in place of a root: those are not hashes, and all are refused.
  const isHashed = (text: string | null): boolean => Buffer.from(text ?? "", "base64").length === 32;
  const isGood = (given: CtProof): boolean =>
    !given.wantErr && (given.kind === "inclusion" || [given.root1, given.root2].every(isHashed));
  const wrong = CT_PROOFS.filter((given) => verifyPublished(given) !== isGood(given));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

proves("K63", "sizes beyond 32 bits, up to the largest exact number, have proofs of at most 63 hashes", () => {
  const big = fc.integer({ min: 2 ** 31, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(big, big, (a, b) => {
      const [first, second] = a < b ? [a, b] : [b, a];
      const refs = [...inclusionParts(first === second ? 0 : first, second), ...consistencyParts(first, second)];
      expect(inclusionParts(0, second).length).toBeLessThanOrEqual(63);
      expect(consistencyParts(first, second).length).toBeLessThanOrEqual(63);
      for (const { level, index } of refs.flat()) expect((index + 1) * 2 ** level).toBeLessThanOrEqual(second);
    }),
  );
  expect(() => inclusionParts(5, 5)).toThrow(RangeError);
  expect(() => consistencyParts(6, 5)).toThrow(RangeError);
  expect(() => inclusionParts(0, Number.MAX_SAFE_INTEGER + 1)).toThrow(RangeError);
});

function verifyPublished(given: CtProof): boolean {
  const hashes = (given.proof ?? []).map((text) => Buffer.from(text, "base64"));
  const bytes = (text: string | null): Uint8Array => Buffer.from(text ?? "", "base64");
  if (given.kind === "inclusion")
    return verifyInclusion(sha256, {
      leaf: bytes(given.leafHash),
      index: given.leafIdx,
      size: given.treeSize,
      root: bytes(given.root),
      hashes,
    });
  const { size1: first, size2: second, root1, root2 } = given;
  return verifyConsistency(sha256, { first, second, firstRoot: bytes(root1), secondRoot: bytes(root2), hashes });
}

/** Copies of a proof, each with one bit of one hash changed. */
function flips(hashes: readonly Uint8Array[], spot: number): readonly (readonly Uint8Array[])[] {
  return hashes.map((hash, at) => {
    const changed = Uint8Array.from(hash);
    const place = spot % (changed.length * 8);
    changed[place >> 3] = (changed[place >> 3] ?? 0) ^ (1 << (place & 7));
    return hashes.with(at, changed);
  });
}

const LEAVES = new Map<number, Uint8Array>();
function leafOf(n: number): Uint8Array {
  const leaf = LEAVES.get(n) ?? leafHash(sha256, sha256(`event ${n}`));
  LEAVES.set(n, leaf);
  return leaf;
}

const naiveNode: NodeAt = (level, index) => naiveRoot(index * 2 ** level, (index + 1) * 2 ** level);

/** RFC 6962 section 2.1, literally. */
function naiveRoot(from: number, to: number): Uint8Array {
  if (from === to) return sha256();
  if (to - from === 1) return leafOf(from);
  const split = from + splitOf(to - from);
  return sha256(Uint8Array.of(1), naiveRoot(from, split), naiveRoot(split, to));
}

/** RFC 6962 section 2.1.1, literally. */
function naiveInclusion(index: number, from: number, to: number): readonly Uint8Array[] {
  if (to - from === 1) return [];
  const split = from + splitOf(to - from);
  return index < split
    ? [...naiveInclusion(index, from, split), naiveRoot(split, to)]
    : [...naiveInclusion(index, split, to), naiveRoot(from, split)];
}

/** RFC 6962 section 2.1.2, literally. */
function naiveConsistency(first: number, from: number, to: number, isWhole: boolean): readonly Uint8Array[] {
  if (first === to) return isWhole ? [] : [naiveRoot(from, to)];
  const split = from + splitOf(to - from);
  return first <= split
    ? [...naiveConsistency(first, from, split, isWhole), naiveRoot(split, to)]
    : [...naiveConsistency(first, split, to, false), naiveRoot(from, split)];
}

function splitOf(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1));
}
