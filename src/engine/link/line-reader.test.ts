import { expect, test } from "vitest";
import { createLineReader } from "./line-reader.ts";

const SEPARATORS = '{"text":"one\u2028two\u2029three\u0085four\\nfive ü 🌲"}';

test("lines with U+2028, U+2029 and U+0085 stay whole, however their bytes arrive", () => {
  const bytes = Buffer.from(`${SEPARATORS}\n{}\n${SEPARATORS}\n`);
  for (const size of [1, 2, 3, 7, 64, bytes.length]) {
    const heard: string[] = [];
    const { take } = createLineReader((line) => heard.push(line));
    for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
    expect(heard).toEqual([SEPARATORS, "{}", SEPARATORS]);
  }
});

test("a line above the limit is refused, also when its end never comes", () => {
  const { take } = createLineReader(() => undefined, { lineBytesMax: 10 });
  take(Buffer.from("1234567\n1234567"));
  expect(() => take(Buffer.from("89012"))).toThrow("a line has more than 10 bytes");
});
