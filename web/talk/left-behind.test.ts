import { expect, test } from "vitest";
import type { Json } from "../../src/client/types.generated.ts";
import { pathOf } from "./left-behind.ts";

const OWN = "session/one";

function rewind(version: number, path: Json) {
  const rest = { id: "", type: "session.rewound@1", at: "", actor: "", cause: null, hash: "", prev: "" };
  return { ...rest, stream: OWN, seq: version, version, data: { view: { path } } };
}

const own = (from: number, to: number | null) => ({ kind: "own", stream: OWN, from, to });

test("without a rewind everything counts", () => {
  expect([1, 5, 900].map(pathOf(OWN, [], 900))).toEqual([true, true, true]);
});

test("after a rewind the events between its target and it are left behind", () => {
  const isOnPath = pathOf(OWN, [rewind(20, [own(1, 8), own(20, null)])], 30);
  expect([8, 9, 19, 20, 30].map(isOnPath)).toEqual([true, false, false, true, true]);
});

test("before the rewind, in the timeline, they still count", () => {
  const isOnPath = pathOf(OWN, [rewind(20, [own(1, 8), own(20, null)])], 15);
  expect([8, 9, 15].map(isOnPath)).toEqual([true, true, true]);
});

test("a rewind that names an earlier path takes that path, and ignores other streams", () => {
  const first = rewind(20, [{ kind: "inherited", stream: "session/parent", version: 4 }, own(1, 8), own(20, null)]);
  const second = rewind(40, [{ kind: "inherited", stream: OWN, version: 30 }, own(40, null)]);
  const isOnPath = pathOf(OWN, [second, first], 50);
  expect([5, 9, 25, 31, 39, 40, 50].map(isOnPath)).toEqual([true, false, true, false, false, true, true]);
});
