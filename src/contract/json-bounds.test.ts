import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { gatherBytes } from "./gather-bytes.ts";
import { JSON_BOUNDS, jsonExcess } from "./json-bounds.ts";

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
/** Number of values: one for each comma, plus the first. */
const valuesOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 1;
  const below = Object.values(value).map(valuesOf);
  return below.reduce((sum, one) => sum + one, below.length === 0 ? 1 : 0);
};

proves(
  "NB-4",
  "JSON is refused exactly when it is too deep or has too many values, whatever its strings contain",
  () => {
    const text = fc.string({ unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", ",", "a", "\n") });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(text, tie("value"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(
        value,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 20 }),
        (one, depthMax, valuesMax) => {
          const padded = `${" ".repeat(depthMax)}${JSON.stringify(one)}`;
          const isTooMuch = depthOf(one) > depthMax || valuesOf(one) > valuesMax;
          expect(jsonExcess(padded, { depthMax, valuesMax }) !== null).toBe(isTooMuch);
        },
      ),
    );
    expect(jsonExcess("[".repeat(5_000_000))).toContain("nested deeper");
    expect(jsonExcess(`[${"1,".repeat(JSON_BOUNDS.valuesMax)}1]`)).toContain("more than");
    expect(jsonExcess(`["${"[,".repeat(1_000_000)}"]`)).toBeNull();
  },
);

proves("NB-5", "a body that arrives byte by byte takes linear time", () => {
  const pieces = 300_000;
  const gathered = gatherBytes();
  const one = new Uint8Array([120]);
  for (let n = 0; n < pieces; n += 1) gathered.add(one);
  expect(gathered.size()).toBe(pieces);
  const taken = gathered.take();
  expect(new TextDecoder().decode(taken)).toBe("x".repeat(pieces));
  expect(taken.buffer.byteLength).toBeLessThan(2 * pieces);
  expect(gathered.size()).toBe(0);
});
