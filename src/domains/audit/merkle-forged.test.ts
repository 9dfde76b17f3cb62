import { expect } from "vitest";
import { sha256 } from "../../../test/support/node-sha256.ts";
import { proves } from "../../../test/support/proves.ts";
import {
  type Consistency,
  consistencyParts,
  type Inclusion,
  inclusionParts,
  leafHash,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
} from "./merkle.ts";

const node = (left: Uint8Array, right: Uint8Array) => nodeHash(sha256, left, right);
const leafOf = (name: string) => leafHash(sha256, sha256(name));

const [a, b, c, d, other] = [leafOf("a"), leafOf("b"), leafOf("c"), leafOf("d"), leafOf("other")];
const ab = node(a, b);
const abc = node(ab, c);
const abcd = node(ab, node(c, d));
const short = a.subarray(1);
const long = Uint8Array.of(0, ...b);

proves("K62", "an inclusion proof that hashes to its root is refused when place, size or length fit no tree", () => {
  const forged: Readonly<Record<string, Inclusion>> = {
    "a place before the first": { leaf: a, index: -1, size: 2, root: ab, hashes: [b] },
    "a place between two": { leaf: a, index: 0.5, size: 2, root: ab, hashes: [b] },
    "a place behind the last": { leaf: a, index: 1, size: 1, root: a, hashes: [] },
    "half a leaf more": { leaf: a, index: 0, size: 2.5, root: ab, hashes: [b] },
    "one hash too many": { leaf: a, index: 0, size: 2, root: node(c, ab), hashes: [b, c] },
    "one hash too few": { leaf: a, index: 0, size: 3, root: ab, hashes: [b] },
    "a short leaf": { leaf: short, index: 0, size: 2, root: node(short, b), hashes: [b] },
    "a long hash": { leaf: a, index: 0, size: 2, root: node(a, long), hashes: [long] },
    "a short root": { leaf: a, index: 0, size: 1, root: short, hashes: [] },
  };
  for (const [name, given] of Object.entries(forged))
    expect([name, verifyInclusion(sha256, given)]).toEqual([name, false]);
  expect(verifyInclusion(sha256, { leaf: a, index: 0, size: 2, root: ab, hashes: [b] })).toBe(true);
});

proves("K62", "a consistency proof that hashes to both roots is refused when sizes or length fit no trees", () => {
  const one = { first: 1, firstRoot: a };
  const two = { second: 2, secondRoot: ab, hashes: [b] };
  const three = { first: 3, firstRoot: abc };
  const four = { second: 4, secondRoot: abcd, hashes: [c, d, ab] };
  const forged: Readonly<Record<string, Consistency>> = {
    "less than no leaf": { ...two, first: -1, firstRoot: a, hashes: [a, b] },
    "half a leaf": { ...two, first: 0.5, firstRoot: a, hashes: [a, b] },
    "half a leaf more": { ...one, ...two, second: 2.5 },
    "the larger tree first": { first: 2, second: 1, firstRoot: ab, secondRoot: ab, hashes: [] },
    "an empty tree with a leaf": { ...two, first: 0, firstRoot: a, hashes: [] },
    "a hash for the empty tree": { ...two, first: 0, firstRoot: sha256() },
    "a hash for the same tree": { first: 2, second: 2, firstRoot: ab, secondRoot: ab, hashes: [b] },
    "one size, two roots": { first: 0, second: 0, firstRoot: sha256(), secondRoot: a, hashes: [] },
    "no hash at all": { ...three, ...four, hashes: [] },
    "one hash too many": {
      ...{ first: 3, firstRoot: node(other, abc), second: 4, secondRoot: node(other, abcd) },
      hashes: [...four.hashes, other],
    },
    "one hash too few": { ...three, ...four, second: 5 },
    "another older root": { ...three, ...four, firstRoot: node(ab, other) },
    "another newer root": { ...three, ...four, secondRoot: other },
    "a short older root": { first: 1, firstRoot: short, second: 2, secondRoot: node(short, b), hashes: [b] },
    "a short newer root": { first: 0, firstRoot: sha256(), second: 1, secondRoot: short, hashes: [] },
    "a long hash": { ...one, second: 2, secondRoot: node(a, long), hashes: [long] },
  };
  for (const [name, given] of Object.entries(forged))
    expect([name, verifyConsistency(sha256, given)]).toEqual([name, false]);
  expect(verifyConsistency(sha256, { ...one, ...two })).toBe(true);
  expect(verifyConsistency(sha256, { ...three, ...four })).toBe(true);
});

proves("K62", "no proof is made for a place or a size that no tree has", () => {
  for (const [index, size] of [
    [-1, 5],
    [0.5, 5],
    [0, 5.5],
    [5, 5],
  ] as const)
    expect(() => inclusionParts(index, size)).toThrow(RangeError);
  for (const [first, second] of [
    [-1, 5],
    [0.5, 5],
    [0, 5.5],
    [6, 5],
  ] as const)
    expect(() => consistencyParts(first, second)).toThrow(RangeError);
});
