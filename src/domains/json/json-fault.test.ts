import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonFault } from "./json-fault.ts";

test.each([
  ["{", 1, 2],
  ["", 1, 1],
  ["{ not json", 1, 3],
  ['{\n  "port": 4200\n  "store": "sqlite"\n}', 3, 3],
  ['{"a": 1,}', 1, 9],
  ['{"a": 01}', 1, 7],
  ["[1, 2", 1, 6],
  ["[1 2]", 1, 4],
  ['{"a": "x', 1, 7],
  ["{} x", 1, 4],
  ['{"a" 1}', 1, 6],
  ["[}", 1, 2],
  ["// a comment\n{}", 1, 1],
  ["{'a': 1}", 1, 2],
])("%j stops being JSON in line %i, column %i", (text, line, column) => {
  expect(jsonFault(text)).toEqual({ line, column });
});

test("every JSON has no fault, however it is indented", () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 0, max: 4 }), (text, indent) => {
      expect(jsonFault(JSON.stringify(JSON.parse(text), null, indent))).toBe(null);
    }),
  );
});

test("a text has a fault exactly when JSON.parse refuses it", () => {
  const chars = fc.constantFrom(...'{}[],:"\\ \n019.-eEtruefalsn/');
  fc.assert(
    fc.property(fc.array(chars, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      expect(jsonFault(text) !== null).toBe(refuses(text));
    }),
    { numRuns: 3000 },
  );
});

function refuses(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}
