import fc from "fast-check";
import { expect } from "vitest";
import { jsons } from "../../test/support/kernel-facts.ts";
import { proves } from "../../test/support/proves.ts";
import { canonicalJson, type Json } from "./json.ts";

/** RFC 8785, section 3.2.2 and 3.2.3. */
const PUBLISHED: readonly { readonly given: string; readonly canonical: string }[] = [
  {
    given: String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
    canonical: String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  },
  {
    given: String.raw`{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}`,
    canonical:
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",' +
      '"\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  },
  {
    given: '{"1": {"f": {"f": "hi","F": 5} ,"\\n": 56.0}, "10": { }, "": "empty", "a": { }, "111": [ { } ], "A": { }}',
    canonical: '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}}',
  },
];

/** RFC 8785, appendix B: the bits of a double and its text. */
const NUMBERS: readonly (readonly [string, string])[] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

proves("K29", "the examples of RFC 8785 give the published output", () => {
  for (const { given, canonical } of PUBLISHED) expect(canonicalJson(parsed(given))).toBe(canonical);
  for (const [bits, text] of NUMBERS) expect(canonicalJson(doubleOf(bits))).toBe(text);
});

proves("K29", "a number that is not finite is refused: it has no JSON form", () => {
  for (const bits of ["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])
    expect(() => canonicalJson([doubleOf(bits)])).toThrow(TypeError);
});

proves("K29", "keys are sorted by UTF-16 code units, surrogates included", () => {
  const key = fc.string({
    unit: fc.constantFrom("a", "Z", "1", "\u00e9", "\u20ac", "\ufb33", "\u{1f600}", "\u{10000}"),
    maxLength: 4,
  });
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 10 }), (keys) => {
      const text = canonicalJson(Object.fromEntries(keys.map((name) => [name, 0])));
      const sorted = [...keys].sort((a, b) => compareUnits(unitsOf(a), unitsOf(b)));
      expect(text).toBe(`{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(",")}}`);
    }),
    { numRuns: 500 },
  );
});

proves("K29", "the output parses to the input, and serialising it again changes nothing", () => {
  fc.assert(
    fc.property(jsons, (value) => {
      const text = canonicalJson(value);
      expect(parsed(text)).toEqual(parsed(JSON.stringify(value)));
      expect(canonicalJson(parsed(text))).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

proves("K29", "a member without a value is left out, as JSON leaves it out", () => {
  expect(canonicalJson({ b: 1, a: undefined, c: { d: undefined } } as never)).toBe('{"b":1,"c":{}}');
});

proves("K29", "objects with the same members in another order give the same output", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), jsons, { maxKeys: 8 }), (value) => {
      expect(canonicalJson(Object.fromEntries(Object.entries(value).toReversed()))).toBe(canonicalJson(value));
    }),
  );
});

proves("K29", "half a surrogate pair is written as an escape, so the output is always valid UTF-8", () => {
  expect(canonicalJson({ "\udead": "\ud800" })).toBe(String.raw`{"\udead":"\ud800"}`);
});

function doubleOf(bits: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

function parsed(text: string): Json {
  return JSON.parse(text);
}

function unitsOf(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, n) => text.charCodeAt(n));
}

function compareUnits(a: readonly number[], b: readonly number[]): number {
  const n = a.findIndex((unit, at) => unit !== b[at]);
  if (n < 0) return a.length - b.length;
  return (a[n] ?? -1) - (b[n] ?? -1);
}
