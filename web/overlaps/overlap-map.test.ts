import { expect, test } from "vitest";
import { overlapMap } from "./overlap-map.ts";

const named = (id: string) => ({ id, title: id });

test("tickets stand on a circle, those that meet the most others first, with a line for each pair", () => {
  const pairs = [
    { a: named("A"), b: named("B") },
    { a: named("C"), b: named("B") },
  ];
  const { nodes, edges, more } = overlapMap(pairs, { radius: 10, centre: 20 });
  expect(nodes.map(({ id, degree }) => [id, degree])).toEqual([
    ["B", 2],
    ["A", 1],
    ["C", 1],
  ]);
  expect(nodes[0]).toMatchObject({ x: 20, y: 10 });
  expect(edges.map(({ from, to }) => [from.id, to.id])).toEqual([
    ["A", "B"],
    ["C", "B"],
  ]);
  expect(more).toBe(0);
});

test("a map of too many tickets shows those that meet the most others, and counts the rest", () => {
  const pairs = Array.from({ length: 40 }, (_none, at) => ({ a: named("hub"), b: named(`T${at}`) }));
  const { nodes, edges, more } = overlapMap(pairs, { radius: 1, centre: 0 });
  expect([nodes[0]?.id, nodes.length, edges.length, more]).toEqual(["hub", 24, 23, 17]);
});
