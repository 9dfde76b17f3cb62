import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { barBoxes, heatLevel, niceTop, pathThrough, shareOf, sparkPoints } from "./plot-geometry.ts";
import { treeRows } from "./tree-rows.ts";

const VALUES = fc.array(fc.double());

describe("any values", () => {
  test("points lie in the box, gaps are gaps", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1e9, max: 1e9 })), (values) => {
        for (const [at, point] of sparkPoints(values, 100, 24).entries()) {
          expect(point === null).toBe(!Number.isFinite(values[at]));
          expect(point?.x ?? 0).toBeGreaterThanOrEqual(0);
          expect(point?.x ?? 0).toBeLessThanOrEqual(100);
          expect(point?.y ?? 0).toBeGreaterThanOrEqual(0);
          expect(point?.y ?? 0).toBeLessThanOrEqual(24);
        }
      }),
    );
  });

  test("no path, bar or share holds anything but finite numbers", () => {
    fc.assert(
      fc.property(VALUES, fc.double(), (values, whole) => {
        expect(pathThrough(sparkPoints(values, 100, 24))).not.toMatch(/NaN|Infinity/);
        for (const box of barBoxes(values, 600, 120)) {
          expect(Object.values(box).every(Number.isFinite)).toBe(true);
          expect(box.height).toBeGreaterThanOrEqual(0);
          expect(box.height).toBeLessThanOrEqual(120.01);
        }
        const share = shareOf(values[0] ?? 0, whole);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
        expect([0, 1, 2, 3, 4]).toContain(heatLevel(values[0] ?? 0, whole));
      }),
    );
  });
});

test("the end of a scale is a round number at or above the largest value", () => {
  expect([[], [0], [-5], [7], [10], [11], [0.03], [123_456], [Number.NaN, 3]].map(niceTop)).toEqual([
    ...[1, 1, 1, 10, 10, 20, 0.05, 200_000, 5],
  ]);
});

test("a line is interrupted where a value is missing", () => {
  expect(pathThrough(sparkPoints([0, 1, Number.NaN, 1, 0], 4, 1))).toBe("M0 1L1 0M3 0L4 1");
});

describe("a tree", () => {
  test("each node stands below its parent, children in order", () => {
    const nodes = [
      { id: "a", parent: null },
      { id: "b", parent: "a" },
      { id: "c", parent: "a" },
      { id: "d", parent: "b" },
      { id: "e", parent: "gone" },
    ];
    expect(treeRows(nodes).map(({ node, depth, parentRow }) => [node.id, depth, parentRow])).toEqual([
      ["a", 0, null],
      ["b", 1, 0],
      ["d", 2, 1],
      ["c", 1, 0],
      ["e", 0, null],
    ]);
  });

  test("every node is there once, whatever the parents say", () => {
    const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const nodes = fc.uniqueArray(fc.record({ id, parent: fc.option(id) }), { selector: (node) => node.id });
    fc.assert(
      fc.property(nodes, (given) => {
        const rows = treeRows(given);
        expect(rows.map(({ node }) => node.id).sort()).toEqual(given.map((node) => node.id).sort());
        for (const [at, { parentRow }] of rows.entries()) expect(parentRow ?? -1).toBeLessThan(at);
      }),
    );
  });

  test("a chain of a hundred thousand is walked", () => {
    const nodes = Array.from({ length: 100_000 }, (_, at) => ({
      id: String(at),
      parent: at === 0 ? null : String(at - 1),
    }));
    expect(treeRows(nodes).at(-1)?.depth).toBe(99_999);
  });
});
