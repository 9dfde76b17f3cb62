import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLines } from "./read-lines.ts";

async function linesOf(chunks: readonly (string | Uint8Array)[], max = 1000): Promise<readonly string[]> {
  const lines: string[] = [];
  const input = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk);
  })();
  for await (const line of readLines(input, max))
    lines.push("tooLong" in line ? "<too long>" : Buffer.from(line.bytes).toString("utf8"));
  return lines;
}

describe("reading lines", () => {
  test("lines end with LF and nothing else", async () => {
    expect(await linesOf(["a\u2028b\u2029c\u0085d\re\n\vf\n"])).toEqual(["a\u2028b\u2029c\u0085d\re", "\vf"]);
  });

  test("lines arrive in any pieces, also cut inside a character: they are read whole", async () => {
    const bytes = Buffer.from('{"x":"ü€😀"}\nzwei\n');
    const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(await linesOf(pieces)).toEqual(['{"x":"ü€😀"}', "zwei"]);
  });

  test("blank lines are left out; the last line needs no LF", async () => {
    expect(await linesOf(["\n \r\n\t\na\r\n\nb"])).toEqual(["a\r", "b"]);
  });

  test("lines that are too long are reported and skipped; the next line is read", async () => {
    expect(await linesOf(["1234567890123\nab\n", "12345", "6789012\ncd"], 10)).toEqual([
      "<too long>",
      "ab",
      "<too long>",
      "cd",
    ]);
  });

  test("lines of exactly the limit are accepted", async () => {
    expect(await linesOf(["1234567890\n"], 10)).toEqual(["1234567890"]);
  });

  test("any input cut into any pieces gives the lines of splitting it at LF", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\n", "\u2028", "ß", '"') });
    await fc.assert(
      fc.asyncProperty(fc.array(text), async (chunks) => {
        const expected = chunks
          .join("")
          .split("\n")
          .filter((line) => line.trim() !== "" || line.includes("\u2028"));
        expect(await linesOf(chunks)).toEqual(expected);
      }),
    );
  });
});
