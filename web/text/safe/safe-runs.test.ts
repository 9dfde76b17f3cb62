import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../../test/fixtures/hostile-texts.ts";
import { proves } from "../../../test/support/proves.ts";
import { isPlain, type Run, safeRuns, safeString } from "./safe-runs.ts";

/** Characters that must never reach the page as they are. Joiners and selectors of emoji and scripts are judged apart. */
const NEVER =
  /(?!\t|\n|\r|\u200c|\u200d|\ufe0f)[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

const NASTY = fc.constantFrom(
  ..."\u202e\u2066\u200b\u200d\ufe0f\u00ad\u001b\u0000\r\n\u2028\ud800\udc00\ue000\u0301а\u{e0041}ｒ👨a ./".split(""),
);
const ANY_TEXT = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.array(NASTY).map((parts) => parts.join("")),
  fc.constantFrom(...Object.values(HOSTILE_TEXTS)),
);

describe("any text", () => {
  proves("TX-2", "the runs joined are the text, and no plain one holds what cannot be seen", () => {
    fc.assert(
      fc.property(ANY_TEXT, fc.boolean(), (text, strict) => {
        const runs = safeRuns(text, { strict });
        expect(runs.map((run) => run.text).join("")).toBe(text);
        expect(runs.every((run) => run.text !== "")).toBe(true);
        for (const { text: run, mark } of runs) if (mark === null) expect(run).not.toMatch(NEVER);
      }),
      { numRuns: 300 },
    );
  });

  test.each([false, true])("a text counts as plain exactly if it has no marks; strict: %s", (strict) => {
    fc.assert(
      fc.property(ANY_TEXT, (text) => {
        expect(isPlain(text, { strict })).toBe(marks(text, strict).length === 0);
      }),
    );
  });

  test("the safe string holds nothing that cannot be seen", () => {
    fc.assert(
      fc.property(ANY_TEXT, (text) => {
        expect(safeString(text)).not.toMatch(NEVER);
      }),
    );
  });

  test("a mark has a name of bounded length", () => {
    fc.assert(
      fc.property(ANY_TEXT, (text) => {
        for (const { name } of marks(text, true)) {
          expect(name).not.toBe("");
          expect(name.length).toBeLessThan(300);
        }
      }),
    );
  });
});

describe("what cannot be seen is named", () => {
  test.each([
    ["a\u202eb", "U+202E right-to-left override"],
    ["a\u2066b", "U+2066 left-to-right isolate"],
    ["a\u200bb", "U+200B zero width space"],
    ["a\u0007b", "U+0007 bell"],
    ["a\u001bb", "U+001B escape"],
    ["a\u009bb", "U+009B control sequence introducer"],
    ["a\u2028b", "U+2028 line separator"],
    ["a\u{e0041}b", 'U+E0041 tag "A"'],
    ["a\u{e0072}\u{e006d}\u{e007f}b", "3 invisible tag characters: “rm”"],
    ["a\ue000b", "U+E000 private use character"],
    ["a\ud800b", "U+D800 lone surrogate"],
    ["a\u061cb", "U+061C Arabic letter mark"],
    ["a\rb", "U+000D carriage return"],
    ["a\uffffb", "U+FFFF unassigned character"],
    ["a\u200b\u200b\u200bb", "U+200B zero width space ×3"],
    [
      "a\u200b\u200c\u200d\u2060\ufeffb",
      "U+200B zero width space, U+200C zero width non-joiner, U+200D zero width joiner and 2 more",
    ],
  ])("%j", (text, name) => {
    expect(marks(text, false).map((mark) => mark.name)).toEqual([name]);
  });

  test("marks that pile up on one letter are cut off", () => {
    const runs = safeRuns(`z${"\u0300".repeat(100)}a`);
    expect(runs.map(({ text, mark }) => [text.length, mark?.kind ?? null])).toEqual([
      [5, null],
      [96, "piled"],
      [1, null],
    ]);
  });
});

describe("what is written like this in earnest stays", () => {
  test.each([
    "plain text\twith tabs\nand lines",
    "family 👨‍👩‍👧‍👦, done ✅, careful ⚠️, heart ❤️, first 1️⃣",
    "windows\r\nlines",
    "می‌خواهم",
    "Привет, мир",
    "你好 React组件",
    "naïve café – “quoted” … 5 µs",
  ])("%s", (text) => {
    expect(marks(text, false)).toEqual([]);
  });

  test.each([
    "git commit -m 'fix: naïve café'",
    "Привет, можно удалить файл а потом с ним?",
    "使用React组件",
    "/home/müller/straße",
    "x² + y² ≤ 5",
    "ℹ️ Dosyayı sil? ה-API, הAPI",
  ])("also where look-alikes are marked: %s", (text) => {
    expect(marks(text, true)).toEqual([]);
  });
});

describe("look-alikes in a command, a path or a question", () => {
  test.each([
    [
      "curl https://раypal.com",
      "раypal",
      "mixes Latin and Cyrillic: Cyrillic р (U+0440) looks like p, Cyrillic а (U+0430) looks like a",
    ],
    [
      "cat раss_1",
      "раss_1",
      "mixes Latin and Cyrillic: Cyrillic р (U+0440) looks like p, Cyrillic а (U+0430) looks like a",
    ],
    ["sudo bаsh", "bаsh", "mixes Latin and Cyrillic: Cyrillic а (U+0430) looks like a"],
    [
      "open аррӏе.com",
      "аррӏе",
      "Cyrillic а (U+0430) looks like a, Cyrillic р (U+0440) looks like p, Cyrillic ӏ (U+04CF) looks like l, Cyrillic е (U+0435) looks like e",
    ],
    [
      "rm ｆｉｌｅ",
      "ｆｉｌｅ",
      "ｆ (U+FF46) looks like f, ｉ (U+FF49) looks like i, ｌ (U+FF4C) looks like l, ｅ (U+FF45) looks like e",
    ],
    ["run 𝐬𝐮", "𝐬𝐮", "𝐬 (U+1D42C) looks like s, 𝐮 (U+1D42E) looks like u"],
    ["cat /etc\u2215passwd", "\u2215", "\u2215 (U+2215) looks like /"],
    ["ls οpt", "οpt", "mixes Latin and Greek: Greek ο (U+03BF) looks like o"],
    [
      "npm i ᎪᏢᏟ",
      "ᎪᏢᏟ",
      "Cherokee Ꭺ (U+13AA) looks like A, Cherokee Ꮲ (U+13E2) looks like P, Cherokee Ꮯ (U+13DF) looks like C",
    ],
    ["a\u00a0b", "\u00a0", "U+00A0 no-break space"],
  ])("%s", (text, word, name) => {
    const found = safeRuns(text, { strict: true }).filter(({ mark }) => mark !== null);
    expect(found.map((run) => [run.text, run.mark?.name])).toEqual([[word, name]]);
    expect(safeRuns(text, { strict: false }).every(({ mark }) => mark === null)).toBe(true);
  });
});

test.each([
  ["letters", "a".repeat(100_000)],
  ["zero width spaces", "\u200b".repeat(100_000)],
  ["letters and zero width spaces", "a\u200b".repeat(60_000)],
  ["combining marks", "\u0301".repeat(100_000)],
  ["Cyrillic in one word", "а".repeat(100_000)],
  ["joiners", "\u200d".repeat(100_000)],
])("many characters take one pass: %s", (_name, text) => {
  expect(length(safeRuns(text, { strict: true }))).toBe(text.length);
  expect(length(safeRuns(text))).toBe(text.length);
});

function marks(text: string, strict: boolean) {
  return safeRuns(text, { strict }).flatMap(({ mark }) => (mark === null ? [] : [mark]));
}

function length(runs: readonly Run[]): number {
  return runs.reduce((sum, { text }) => sum + text.length, 0);
}
