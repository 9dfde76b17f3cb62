import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { isCustom, isCustomType } from "./event.ts";

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
