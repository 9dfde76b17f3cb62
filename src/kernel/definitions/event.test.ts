import { expect, test } from "vitest";
import { ERRAND_EVENTS, errandFact } from "../../../test/support/errands.ts";
import { proves } from "../../../test/support/proves.ts";
import { dataIn, event, isCustom, isCustomType, readsOf } from "./event.ts";

proves("K33", "a custom fact has a plain name below `x.`; any other foreign name is ignored by folds", () => {
  const longest = `x.${"a".repeat(64)}@1`;
  for (const type of ["x.note@1", "x.a.b-c_d@1", "x.0@1", longest]) expect(isCustomType(type)).toBe(true);
  for (const type of [
    "x.@1",
    "x.A@1",
    "x._a@1",
    "x.a@2",
    "x.a",
    "xx.a@1",
    " x.a@1",
    "x.a@1\n",
    longest.replace("@", "a@"),
  ])
    expect(isCustomType(type)).toBe(false);
  expect(isCustom({ type: "x.ODD name@1", data: { turnId: null, payload: null } })).toBe(true);
});

test("an event definition without options is kept whole, always written, not searched and not shown", () => {
  expect(event()).toEqual({ erasable: false, spaceNeed: "end", exact: false, words: null, lines: null });
});

test("the first event of a type among those of an append gives its data; null where there is none", () => {
  const [milk, bread] = ["milk", "bread"].map((text) => ({ type: "errand.noted@1", data: { text, turnId: null } }));
  const other = { type: "errand.dropped@1", data: { name: "a" } };
  if (milk === undefined || bread === undefined) return expect.fail("two notes");
  expect(dataIn(ERRAND_EVENTS, [other, milk, bread], "errand.noted@1")).toEqual({ text: "milk", turnId: null });
  expect(dataIn(ERRAND_EVENTS, [other], "errand.noted@1")).toBeNull();
  expect(dataIn(ERRAND_EVENTS, [], "errand.noted@1")).toBeNull();
});

test("a domain makes facts by name and reads its own; foreign or erased facts are read as null", () => {
  const read = readsOf(ERRAND_EVENTS);
  const noted = errandFact("errand.noted@1", { text: "milk", turnId: null });
  expect(noted).toEqual({ type: "errand.noted@1", data: { text: "milk", turnId: null } });
  expect(read(noted)).toEqual(noted);
  expect(read({ type: "errand.noted@1", data: null })).toBeNull();
  for (const type of ["turn.started@1", "errand.noted@2", "x.note@1", "constructor", "__proto__", ""])
    expect(read({ type, data: { text: "milk" } })).toBeNull();
});
