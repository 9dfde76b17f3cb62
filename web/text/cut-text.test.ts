import fc from "fast-check";
import { expect, test } from "vitest";
import { piecesOf } from "./cut-text.ts";

test("pieces joined are the text; none is longer than asked, or cuts a character", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom("👨", "a", "\r\n", "\n")).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (whole, max) => {
      const pieces = piecesOf(whole, max);
      expect(pieces.join("")).toBe(whole);
      expect(pieces.every(({ length }) => length > 0 && length <= max)).toBe(true);
      if (whole.isWellFormed()) expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }),
  );
});
