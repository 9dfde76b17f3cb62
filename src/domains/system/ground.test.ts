import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { isWithinGround, parseGround, spellGround } from "./ground.ts";

const DEEP = Array(64).fill("d").join("/");

proves("K81", "a ground is read in both spellings and written in one", () => {
  const ground = { workspace: "w", below: ["a", "b"] };
  for (const text of ["ws://workspaces/w/a/b", "workspace:w/a/b", "workspace:w/a/b/"])
    expect(parseGround(text)).toEqual(ground);
  expect(spellGround(ground)).toBe("ws://workspaces/w/a/b");
  expect(parseGround(`workspace:w/${DEEP}`)).toMatchObject({ workspace: "w" });
  expect(parseGround(`workspace:w/${"x".repeat(1012)}`)).toMatchObject({ workspace: "w" });
});

proves("K81", "a ground is refused for each of its faults, and the reason names it", () => {
  const why = (text: string) => {
    const parsed = parseGround(text);
    return "refused" in parsed ? String(parsed.details["reason"]).split(/:| ws/)[0] : "accepted";
  };
  expect(why(`workspace:w/${"x".repeat(1013)}`)).toBe("it is too long");
  expect(why("w/a")).toBe("it does not begin with");
  expect(why("workspace:W")).toBe("its workspace is no slug");
  expect(why(`workspace:w/${DEEP}/d`)).toBe("its path is too deep");
  for (const odd of ["a//b", "./a", "a/..", "a\\b", "a%2f", "a?", "a#", "*", "a\nb"])
    expect([odd, why(`workspace:w/${odd}`)]).toEqual([odd, expect.stringContaining("its path has the part")]);
  const long = parseGround("x".repeat(2000));
  expect("refused" in long && String(long.details["ground"]).length).toBe(1024);
});

proves("K81", "one ground is within another when all its parts are", () => {
  const at = (...below: readonly string[]) => ({ workspace: "w", below });
  expect(isWithinGround(at("a", "b"), at("a", "b", "c"))).toBe(true);
  expect(isWithinGround(at("a", "b"), at("a", "x", "c"))).toBe(false);
  expect(isWithinGround(at("a", "b"), at("x", "b"))).toBe(false);
  expect(isWithinGround(at("a"), at())).toBe(false);
  expect(isWithinGround(at(), { workspace: "v", below: [] })).toBe(false);
});
