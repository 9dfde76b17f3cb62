import fc from "fast-check";
import { expect } from "vitest";
import { factsAmong, TYPES_OF_MAP } from "../../test/support/kernel-facts.ts";
import { proves } from "../../test/support/proves.ts";
import { EVENT_TYPES, isCustom, isCustomType, recallFact } from "./events.ts";
import type { Json } from "./json.ts";

proves("K33", "the list of facts is the compiler's list, and every name is thing, past fact and version", () => {
  expect([...EVENT_TYPES].toSorted()).toEqual([...TYPES_OF_MAP].toSorted());
  for (const type of EVENT_TYPES) expect(type).toMatch(/^[a-z]+\.[a-z]+(?:_[a-z]+)*@[1-9]\d*$/);
});

proves("K33", "a fact of ours is never taken for one of somebody else's making", () => {
  fc.assert(fc.property(factsAmong(EVENT_TYPES), (fact) => !isCustom(fact)));
  for (const type of EVENT_TYPES) expect(isCustomType(type)).toBe(false);
});

proves("K33", "somebody else's fact has a plain name below `x.`, and any other is still passed over by a fold", () => {
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

proves("K33", "a stored fact is recalled as it was written, and a type that is not known as none at all", () => {
  fc.assert(
    fc.property(factsAmong(EVENT_TYPES), (fact) => {
      const data: Json = JSON.parse(JSON.stringify(fact.data));
      expect(recallFact(fact.type, data)).toEqual({ type: fact.type, data });
    }),
  );
  expect(recallFact("x.note@1", { turnId: null, payload: 1 })).toMatchObject({ type: "x.note@1" });
  for (const type of ["session.opened@2", "ticket.opened@1", "constructor", ""])
    expect(recallFact(type, {})).toBeNull();
});
