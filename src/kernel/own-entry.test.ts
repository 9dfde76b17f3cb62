import { expect, test } from "vitest";
import { memberOf, ownEntry } from "./own-entry.ts";
import { isRefusal, refuse } from "./refusal.ts";

test("an entry is found by its own name only; what every object inherits is not found", () => {
  const map = { a: 1, constructor: 2 };
  expect(["a", "constructor", "toString", "__proto__", ""].map((key) => ownEntry(map, key))).toEqual([
    ...[1, 2, undefined, undefined, undefined],
  ]);
});

test("a member of a value from outside: undefined where the value is no object or has no such member", () => {
  const none = [{}, { b: 1 }, [], null, undefined, "a", 1, true, () => 1];
  expect(none.map((value) => memberOf(value, "a"))).toEqual(none.map(() => undefined));
  expect([memberOf({ a: 1 }, "a"), memberOf(["x"], "0"), memberOf({ a: null }, "a")]).toEqual([1, "x", null]);
  expect(["constructor", "toString", "__proto__", "length"].map((key) => memberOf({}, key))).toEqual(
    Array(4).fill(undefined),
  );
  expect(memberOf("text", "length")).toBeUndefined();
});

test("a refusal is known by its code, whatever else a value may be", () => {
  expect(refuse("queue_full")).toEqual({ refused: "queue_full", details: {} });
  expect(isRefusal(refuse("queue_full", { queued: 1 }))).toBe(true);
  for (const value of [null, undefined, "refused", 1, [], {}, { details: {} }]) expect(isRefusal(value)).toBe(false);
});
