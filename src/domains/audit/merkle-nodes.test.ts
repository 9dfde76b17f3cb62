import { expect, test } from "vitest";
import { sha256 } from "../../../test/support/node-sha256.ts";
import { hex } from "./chain.ts";
import {
  appendLeaves,
  consistencyParts,
  EMPTY_FRONTIER,
  frontierRefs,
  inclusionParts,
  leafHash,
  type NodeRef,
  nodeHash,
  rootOf,
} from "./merkle.ts";

const node = (left: Uint8Array, right: Uint8Array) => nodeHash(sha256, left, right);
const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => sha256(name)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const NAMES = new Map(
  [
    ...Object.entries({ a, b, c, d }),
    ...Object.entries({ ab: node(a, b), cd: node(c, d), abcd: node(node(a, b), node(c, d)) }),
  ].map(([name, hash]) => [hex(hash), name]),
);

const spelled = (refs: readonly NodeRef[]): string => refs.map(({ level, index }) => `${level}/${index}`).join(" ");

test("an append hands over each leaf and each subtree that it completes, once, children first", () => {
  const told: string[] = [];
  const tell = (level: number, index: number, hash: Uint8Array) =>
    told.push(`${level}/${index} ${NAMES.get(hex(hash))}`);
  const three = appendLeaves(sha256, EMPTY_FRONTIER, [a, b, c], tell);
  expect(told.splice(0)).toEqual(["0/0 a", "0/1 b", "1/0 ab", "0/2 c"]);
  expect([three.size, three.nodes.map((hash) => NAMES.get(hex(hash)))]).toEqual([3, ["ab", "c"]]);
  const four = appendLeaves(sha256, three, [d], tell);
  expect(told).toEqual(["0/3 d", "1/1 cd", "2/0 abcd"]);
  expect([four.size, NAMES.get(hex(rootOf(sha256, four)))]).toEqual([4, "abcd"]);
});

test("leaves and inner nodes are hashed with the prefixes of RFC 6962, the empty tree without any", () => {
  expect(hex(leafHash(sha256, a))).toBe(hex(sha256(Uint8Array.of(0), a)));
  expect(hex(node(a, b))).toBe(hex(sha256(Uint8Array.of(1), a, b)));
  expect(EMPTY_FRONTIER).toEqual({ size: 0, nodes: [] });
  expect(hex(rootOf(sha256, EMPTY_FRONTIER))).toBe(hex(sha256()));
});

test("a tree is covered by its largest complete subtrees, from left to right", () => {
  const covers = [0, 1, 2, 3, 4, 6, 7, 8].map((size) => spelled(frontierRefs(size)));
  expect(covers).toEqual(["", "0/0", "1/0", "1/0 0/2", "2/0", "2/0 1/2", "2/0 1/2 0/6", "3/0"]);
});

test("each hash of a proof is made of complete subtrees only", () => {
  expect(inclusionParts(4, 7).map(spelled)).toEqual(["0/5", "0/6", "2/0"]);
  expect(inclusionParts(0, 7).map(spelled)).toEqual(["0/1", "1/1", "1/2 0/6"]);
  expect(consistencyParts(6, 7).map(spelled)).toEqual(["1/2", "0/6", "2/0"]);
  expect(consistencyParts(4, 7).map(spelled)).toEqual(["1/2 0/6"]);
});
