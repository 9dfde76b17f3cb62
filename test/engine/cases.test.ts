import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../..", import.meta.url);
/** docs/guarantees.md, "The own engine". */
const CASES = [...range(1, 12), 14, 15, ...range(17, 21), 26, 27, 28, 33, 35];

test("every case of the Operator's loop is named in a test", () => {
  const files = globSync(["src/**/*.test.ts", "test/e2e/**/*.test.ts"], { cwd: ROOT });
  // These are the cases of another protocol.
  const texts = files.filter((file) => !file.endsWith("exo-conformance.test.ts")).map(read);
  const named = texts.flatMap((text) =>
    [...text.matchAll(/"cases? ([\d and,]+):/g)].map(([, numbers = ""]) => numbers),
  );
  const found = new Set(named.flatMap((numbers) => (numbers.match(/\d+/g) ?? []).map(Number)));
  expect(CASES.filter((number) => !found.has(number))).toEqual([]);
});

function read(file: string): string {
  return readFileSync(new URL(file, ROOT), "utf8");
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, n) => from + n);
}
