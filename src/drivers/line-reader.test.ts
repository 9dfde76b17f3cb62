import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { createLineReader } from "./line-reader.ts";

proves("AG-9", "bytes cut into any pieces give the same lines", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", ""))),
      fc.integer({ min: 1, max: 7 }),
      (lines, piece) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const reader = createLineReader(1_000_000);
        const read: (string | null)[] = [];
        for (let at = 0; at < bytes.length; at += piece) read.push(...reader.push(bytes.subarray(at, at + piece)));
        expect(read).toEqual(lines.map((line) => new TextDecoder().decode(Buffer.from(line))));
        expect(reader.rest()).toBeNull();
      },
    ),
  );
});

proves("AG-10", "a line over the limit is read as one null, and the next line is read normally", () => {
  const reader = createLineReader(10);
  const read = ["x".repeat(8), "x".repeat(8), "x\nafter\nre"].flatMap((text) => [...reader.push(Buffer.from(text))]);
  expect(read).toEqual([null, "after"]);
  expect(reader.rest()).toBe("re");
  expect([...reader.push(Buffer.from([0x61, 0xff, 0x62, 0x0a]))]).toEqual(["a\ufffdb"]);
});
