import fc from "fast-check";
import { expect } from "vitest";
import { stringify } from "yaml";
import { proves } from "../../../test/support/proves.ts";
import { parseYaml, YAML_LIMITS } from "./parse-yaml.ts";

proves("GL-5", "plain data is read as YAML 1.2 says", () => {
  const text = 'a: 1\nb: [x, "y: z", no]\nc: >\n  folded\n  text\nd: { e: null, f: 1.5 }\n"1": é\n';
  expect(parseYaml(text)).toEqual({
    ok: true,
    value: { a: 1, b: ["x", "y: z", "no"], c: "folded text\n", d: { e: null, f: 1.5 }, "1": "é" },
  });
  expect(parseYaml("")).toEqual({ ok: true, value: null });
  expect(parseYaml("a: &x [1, 2]\nb: *x\n")).toEqual({ ok: true, value: { a: [1, 2], b: [1, 2] } });
});

proves(
  "GL-5",
  "hostile YAML ends in a reason with its line: bombs, anchors, tags, keys of JavaScript, depth, size",
  () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (const [at, name] of [..."bcdefghi"].entries()) {
      const before = `*${"abcdefghi"[at]}`;
      bomb.push(`${name}: &${name} [${Array(9).fill(before).join(", ")}]`);
    }
    const hostile: readonly (readonly [text: string, reason: RegExp, line: number])[] = [
      [bomb.join("\n"), /more than 16 aliases/, 3],
      ["a: &a { b: *a }", /repeats itself|Unresolved alias/, 1],
      ["x: 1\n__proto__: { polluted: true }", /key "__proto__" is not allowed/, 1],
      ["a:\n  - { constructor: 1 }", /key "constructor" is not allowed/, 1],
      ["a: 1\nb: 2\na: 3", /unique/, 3],
      ["? [a, b]\n: 1", /keys/, 1],
      ["a: !!js/function 'x'", /[Tt]ag/, 1],
      ["a: !own x", /tag/, 1],
      ["a: .nan", /not finite/, 1],
      ["a: -.inf", /not finite/, 1],
      ['a: "\\uD800"', /Unicode/, 1],
      ["a: 1\n---\nb: 2", /more than one document/, 2],
      ["a: [1", /./, 1],
      ["a: *missing", /alias/, 1],
      ["[".repeat(100_000), /nested more than 32 deep/, 1],
      ["- ".repeat(100_000), /nested more than 32 deep/, 1],
      ["? ".repeat(100_000), /nested more than 32 deep/, 1],
      [Array.from({ length: 1500 }, (_, n) => `k${n}: 1`).join("\n"), /more than 1000 entries/, 1],
      [`[${"1,".repeat(60_000)}]`, /too many values/, 1],
      ["x".repeat(YAML_LIMITS.chars + 1), /characters/, 1],
    ];
    for (const [text, reason, line] of hostile) {
      const started = performance.now();
      const parsed = parseYaml(text);
      expect(parsed, text.slice(0, 40)).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
      if (!parsed.ok && line > 1) expect(parsed.line, text.slice(0, 40)).toBe(line);
      expect(performance.now() - started, text.slice(0, 40)).toBeLessThan(SLOW_MS);
    }
    expect(Object.hasOwn({}, "polluted") || "polluted" in {}).toBe(false);
  },
);

/** Each takes milliseconds; a machine under load takes longer. */
const SLOW_MS = 5000;

proves("GL-5", "no text raises an exception, and what was written is read", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "a",
      ": ",
      "- ",
      "\n",
      "  ",
      "&a ",
      "*a",
      "[",
      "]",
      "{",
      "}",
      "!",
      "|",
      ">",
      '"',
      "'",
      "#",
      "%",
      "?",
      ",",
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      expect(typeof parseYaml(pieces.join("")).ok).toBe("boolean");
    }),
    { numRuns: 2000 },
  );
  const plain = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.boolean(),
      fc.string({ unit: "grapheme" }),
      fc.constant(null),
      tie("list"),
      tie("map"),
    ),
    list: fc.array(tie("value"), { maxLength: 4 }),
    map: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie("value"), { maxKeys: 4 }),
  })).map;
  fc.assert(
    fc.property(plain, (value) => {
      const parsed = parseYaml(stringify(value));
      expect(parsed).toEqual({ ok: true, value: JSON.parse(JSON.stringify(value)) });
    }),
  );
});
