import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { hexOf } from "./encoding.ts";
import { blobsIn, createSalts } from "./prepare-append.ts";

const BLOB = "a".repeat(64);

proves("LOG-10", "no two events have the same salt, so an erased one cannot be guessed from another", () => {
  const newSalt = createSalts();
  const salts = Array.from({ length: 1000 }, () => hexOf(newSalt()));
  expect(new Set(salts).size).toBe(1000);
  expect(new Set(salts.map((salt) => salt.length))).toEqual(new Set([salts[0]?.length]));
  expect(hexOf(createSalts()())).not.toBe(salts[0]);
});

proves("LOG-7", "a blob is kept as long as any event names it, at any depth", () => {
  expect(blobsIn({ a: [{ blob: BLOB }, { b: { blob: BLOB } }], blob: "b".repeat(64) })).toEqual([BLOB, "b".repeat(64)]);
  expect(blobsIn({ blob: null, a: { blob: "short" }, b: { other: BLOB } })).toEqual([]);
});
