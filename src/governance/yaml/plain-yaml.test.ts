import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { proves } from "../../../test/support/proves.ts";
import { sampled } from "../../../test/support/sampled.ts";
import { parseYaml } from "./parse-yaml.ts";
import { readPlainYaml } from "./plain-yaml.ts";

const word = fc.oneof(
  fc.constantFrom(
    "a",
    "id",
    "TKT-20260102-030405-A1B2",
    "src/**",
    "**",
    "2026-01-02T03:04:05.000Z",
    "12",
    "true",
    "null",
  ),
  fc.constantFrom(
    "a: b",
    "a #b",
    "a#b",
    "a:b",
    "- a",
    "? a",
    "yes",
    "~",
    "0x1f",
    "1.5",
    "1e3",
    ".inf",
    "[a]",
    "{a}",
    "|",
    ">",
  ),
  fc.constantFrom(
    "Zürich",
    "a, b",
    '"quoted"',
    "it's",
    "line\nline",
    "line\n\n  deeper\n",
    "ends \n",
    " begins",
    "e\u0301",
    "\u{1f600}",
  ),
  fc.string({ maxLength: 12 }),
);
const key = fc.constantFrom(
  "id",
  "kind",
  "title",
  "scope",
  "allow",
  "deny",
  "checks",
  "x_1",
  "constructor",
  "a-b",
  "1",
);
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, word, fc.integer(), fc.boolean(), fc.constant(null), tie("list"), tie("map")),
  list: fc.array(tie("any"), { maxLength: 4 }),
  map: fc.dictionary(key, tie("any"), { maxKeys: 5 }),
})).any;

/** Lines in any order, more or less deep: some are a file of ours, and most are nearly one. */
const mostly = (usual: readonly string[], odd: readonly string[]) =>
  fc.oneof({ arbitrary: fc.constantFrom(...usual), weight: 14 }, { arbitrary: fc.constantFrom(...odd), weight: 1 });
const line = fc
  .tuple(
    mostly(["", "", "  ", "    "], [" ", "   ", "      "]),
    mostly(["", "", "- "], ["- - ", "-  ", "-"]),
    mostly(["a: ", "b: ", "c: ", "d: ", "e: ", "f:", "g:", "h:", ""], ["", "a:", "e:  ", "a: b: "]),
    mostly(["x", "y z", "", '"x"', "1", "[x, y]", "|", "|-"], [">", "[]", "[x,y]", '["a", b]', "01", "-1", "true"]),
    mostly([""], [" ", " #c", ":", ",", " |"]),
  )
  .map((parts) => parts.join(""));
const RUNS = sampled(300_000, 15_000);

proves(
  "GT-4",
  "what the quick reader of YAML reads is what the whole one reads, for files and for damaged files",
  () => {
    let quick = 0;
    const compare = (text: string): void => {
      const read = readPlainYaml(text);
      if (read === undefined) return;
      quick += 1;
      expect({ text, ...parseYaml(text) }).toEqual({ text, ok: true, value: read });
    };
    fc.assert(
      fc.property(
        fc.dictionary(key, value, { minKeys: 1, maxKeys: 6 }),
        fc.constantFrom("literal" as const, "folded" as const, true),
        fc.nat(),
        fc.constantFrom(
          "",
          " ",
          "\n",
          "#",
          ": ",
          "- ",
          "|",
          '"',
          "\t",
          "  ",
          "'",
          "[",
          ",",
          "&a ",
          "*a",
          "!x ",
          "key: ",
        ),
        (map, blockQuote, at, piece) => {
          const text = stringify(map, { lineWidth: 0, blockQuote, flowCollectionPadding: at % 2 === 0 });
          compare(text);
          const place = at % (text.length + 1);
          compare(text.slice(0, place) + piece + text.slice(place));
          compare(`${text.slice(0, place)}\n`);
          const lines = text.split("\n");
          compare([...lines.slice(0, at % lines.length), ...lines.slice((at % lines.length) + 1)].join("\n"));
        },
      ),
      { numRuns: 10_000 },
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => compare(`${lines.join("\n")}\n`)),
      { numRuns: RUNS },
    );
    expect(quick).toBeGreaterThan(1000);
  },
);

test("the quick reader reads a ticket as we write it", () => {
  const text = `id: TKT-20260102-030405-A1B2
kind: task
title: "Fix: the login"
body: |-
  The login fails.

  See it.
scope:
  allow:
    - src/login/**
    - "**"
  deny: []
checks:
  - [npm, test]
acceptance:
  - id: ACC-1
    text: A long name can log in
    check: [npm, run, "test:login"]
  - id: ACC-2
    text: It is fast
labels: [login]
priority: 3
createdAt: 2026-01-02T03:04:05.000Z
`;
  expect(readPlainYaml(text)).toEqual({
    id: "TKT-20260102-030405-A1B2",
    kind: "task",
    title: "Fix: the login",
    body: "The login fails.\n\nSee it.",
    scope: { allow: ["src/login/**", "**"], deny: [] },
    checks: [["npm", "test"]],
    acceptance: [
      { id: "ACC-1", text: "A long name can log in", check: ["npm", "run", "test:login"] },
      { id: "ACC-2", text: "It is fast" },
    ],
    labels: ["login"],
    priority: 3,
    createdAt: "2026-01-02T03:04:05.000Z",
  });
});
