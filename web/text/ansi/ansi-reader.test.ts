import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../../test/fixtures/hostile-texts.ts";
import { proves } from "../../../test/support/proves.ts";
import { type AnsiLine, createAnsiReader } from "./ansi-reader.ts";

const PARTS = fc.constantFrom(
  ..."abc é👨".split(""),
  ..."\u001b[]PX^_\\0123456789;:mKHJ?()#\u0007\u0018\u001a\u0090\u009b\u009c\u009d\u009f\r\n\b\t".split(""),
  "\u001b[31m",
  "\u001b[38;2;1;2;3m",
  "\u001b]8;;https://evil.example\u001b\\",
  "\u001b[2K",
);
const OUTPUT = fc.oneof(
  fc.array(PARTS, { maxLength: 200 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary" }),
  fc.constantFrom(...Object.values(HOSTILE_TEXTS)),
);

describe("any output", () => {
  proves("TX-3", "no control character but the tab gets through", () => {
    fc.assert(
      fc.property(OUTPUT, (text) => {
        expect(shown(text)).not.toMatch(/(?![\t\n])\p{Cc}/u);
      }),
    );
  });

  test("cut anywhere it reads the same", () => {
    fc.assert(
      fc.property(OUTPUT, fc.array(fc.nat(200)), (text, cuts) => {
        const reader = createAnsiReader();
        const characters = [...text];
        let from = 0;
        for (const to of [...cuts].sort((a, b) => a - b)) {
          if (to < from) continue;
          reader.write(characters.slice(from, to).join(""));
          from = to;
        }
        reader.write(characters.slice(from).join(""));
        expect(reader.lines()).toEqual(read(text));
      }),
    );
  });

  test("text without controls is all there", () => {
    const plain = fc.string({ unit: "grapheme" }).filter((text) => !/\p{Cc}/u.test(text));
    fc.assert(
      fc.property(plain, (text) => {
        expect(shown(text)).toBe(text);
      }),
    );
  });
});

describe("what is shown", () => {
  test.each([
    ["colours", "\u001b[31mred\u001b[0m plain", "red plain"],
    ["a line written over by a carriage return", "10%\r20%\r100%", "100%"],
    ["the rest of a longer line stays", "abcdef\rxy", "xycdef"],
    ["a line cleared before it is written over", "Downloading\r\u001b[KDone", "Done"],
    ["a line cleared whole", "Downloading\u001b[2KDone", "Done"],
    ["backspaces", "abc\b\bX", "aXc"],
    ["a hyperlink keeps its text alone", "\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\", "click"],
    ["the clipboard is left alone", "a\u001b]52;c;ZWNobw==\u0007b", "ab"],
    ["device control strings", "a\u001bPq#0;2;0;0;0\u001b\\b", "ab"],
    ["cursor moves and clearing the screen", "a\u001b[2J\u001b[1;1H\u001b[5Ab", "ab"],
    ["escapes of 8 bits", "a\u009b31mb\u009d0;title\u009cc", "abc"],
    ["a charset", "\u001b(Babc", "abc"],
    ["concealed text", "\u001b[8mseen\u001b[0m", "seen"],
    ["an escape cut off by another", "\u001b[31\u001b[32mgreen", "green"],
    ["an escape cut off by a line feed", "\u001b[31\ngreen", "\ngreen"],
    ["bells and other controls", "a\u0007\u0000\u000eb\u007f", "ab"],
  ])("%s", (_name, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test("a string that never ends swallows a bounded part", () => {
    expect(shown(`\u001b]0;${"x".repeat(70_000)} end`)).toMatch(/^[x\n]+ end$/);
  });

  test("colours and attributes become styles", () => {
    const [line] = read("\u001b[1;31mA\u001b[38;5;208mB\u001b[48;2;1;2;3mC\u001b[0;7mD\u001b[99;4mE\u001b[38;5;300mF");
    expect(
      line?.spans.map(({ text, style: { fg, bg, bold, inverse, underline } }) => ({
        text,
        fg,
        bg,
        bold,
        inverse,
        underline,
      })),
    ).toEqual([
      { text: "A", fg: 1, bg: null, bold: true, inverse: false, underline: false },
      { text: "B", fg: "rgb(255 135 0)", bg: null, bold: true, inverse: false, underline: false },
      { text: "C", fg: "rgb(255 135 0)", bg: "rgb(1 2 3)", bold: true, inverse: false, underline: false },
      { text: "D", fg: null, bg: null, bold: false, inverse: true, underline: false },
      { text: "EF", fg: null, bg: null, bold: false, inverse: true, underline: true },
    ]);
  });
});

describe("limits", () => {
  test("the last lines are kept, the others counted", () => {
    const reader = createAnsiReader({ linesMax: 10, columnsMax: 80 });
    for (let line = 0; line < 1000; line += 1) reader.write(`${line}\n`);
    expect(reader.lines().map(textOf)).toEqual(Array.from({ length: 10 }, (_, at) => String(990 + at)));
    expect(reader.dropped()).toBe(990);
  });

  test("a long line goes on in the next ones", () => {
    const reader = createAnsiReader({ linesMax: 1000, columnsMax: 100 });
    reader.write("x".repeat(1050));
    expect(reader.lines().map((line) => textOf(line).length)).toEqual([...new Array<number>(10).fill(100), 50]);
  });

  test.each([
    ["one line", "x"],
    ["carriage returns", "\rabc"],
    ["clearing", "abc\u001b[K\r"],
    ["colours", "\u001b[31ma"],
    ["unfinished escapes", "\u001b[1;"],
    ["backspaces", "a\b"],
  ])("a megabyte is read in one pass: %s", (_name, part) => {
    const reader = createAnsiReader();
    reader.write(part.repeat(Math.ceil(1_000_000 / part.length)));
    expect(reader.lines().length).toBeLessThanOrEqual(10_001);
  });
});

function read(text: string): readonly AnsiLine[] {
  const reader = createAnsiReader();
  reader.write(text);
  return reader.lines();
}

function shown(text: string): string {
  return read(text).map(textOf).join("\n");
}

function textOf({ spans }: AnsiLine): string {
  return spans.map(({ text }) => text).join("");
}
