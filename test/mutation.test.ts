import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, test } from "vitest";
import { isExplained, readExplained, staleExplanations } from "../tools/mutation/explained.ts";
import { FAULTS } from "../tools/mutation/faults.ts";
import { findMutants } from "../tools/mutation/find-mutants.ts";
import { instrument, withMutant } from "../tools/mutation/instrument.ts";
import type { Mutant } from "../tools/mutation/mutant.ts";
import { sourceFiles, testFiles } from "../tools/mutation/source-files.ts";
import { TARGETS } from "../tools/mutation/targets.ts";

const ROOT = join(import.meta.dirname, "..");

const mutantsOf = (file: string, text: string): readonly Mutant[] =>
  findMutants(file, text).map((found, at) => ({ ...found, id: at + 1 }));

describe("mutants", () => {
  test("a function is changed in the ways that a fault would change it", () => {
    const text = `export function take(n: number, max = 3): number {
  if (n >= max || n < 0) throw new RangeError(\`\${n} > 3\`);
  note(n);
  return kept.filter((one) => one === n).length ?? 0;
}`;
    const made = mutantsOf("a.ts", text).map(({ fn, kind, from, to }) => `${fn} ${kind}: ${from} -> ${to}`);
    expect(made).toEqual([
      "take number: 3 -> 4",
      "take condition-true: n >= max || n < 0 -> true",
      "take condition-false: n >= max || n < 0 -> false",
      "take drop-left: n >= max || n < 0 -> n < 0",
      "take drop-right: n >= max || n < 0 -> n >= max",
      "take boundary: n >= max -> n > max",
      "take boundary: n < 0 -> n <= 0",
      "take number: 0 -> 1",
      "take no-call: note(n); -> ",
      "take no-default: kept.filter((one) => one === n).length ?? 0 -> kept.filter((one) => one === n).length",
      "take method: kept.filter((one) => one === n) -> kept",
      "take.(function) equality: one === n -> one !== n",
      "take number: 0 -> 1",
    ]);
  });

  test("the same file with all its mutants, or with any one, is still a program", () => {
    for (const { files } of TARGETS)
      for (const { path, text } of sourceFiles(ROOT, files)) {
        const mutants = mutantsOf(path, text);
        expect([path, parseSync(path, instrument(path, text, mutants)).errors]).toEqual([path, []]);
        const [one] = mutants.slice(mutants.length / 2);
        if (one) expect([path, parseSync(path, withMutant(text, one)).errors]).toEqual([path, []]);
      }
  });

  test("every target has sources, and tests that lie where it says", () => {
    for (const { name, files, near, far } of TARGETS) {
      expect([name, sourceFiles(ROOT, files).length > 0]).toEqual([name, true]);
      for (const pattern of [...near, ...far])
        expect([pattern, testFiles(ROOT, [pattern]).length > 0]).toEqual([pattern, true]);
    }
  });
});

describe("explained survivors", () => {
  const [mutant] = mutantsOf("a.ts", "export const f = (a: number) => a > 1;\n").filter(
    ({ kind }) => kind === "boundary",
  );
  const explained = { file: "a.ts", fn: "f", kind: "boundary", from: "a > 1", why: "it is the same" } as const;

  test("an explanation fits by file, function, kind and code, wherever the line is", () => {
    if (mutant === undefined) return expect.fail("there is one");
    expect(isExplained({ ...mutant, line: 99 }, [explained])).toBe(true);
    for (const other of [{ file: "b.ts" }, { fn: "g" }, { kind: "equality" as const }, { from: "a > 2" }])
      expect(isExplained({ ...mutant, ...other }, [explained])).toBe(false);
    expect(staleExplanations([explained], ["a.ts"], [mutant])).toEqual([]);
    expect(staleExplanations([explained], ["a.ts"], [])).toEqual([explained]);
    expect(staleExplanations([explained], ["b.ts"], [])).toEqual([]);
  });

  test("every explanation in the list still fits a mutant", () => {
    const listed = readExplained(ROOT);
    const files = [...new Set(listed.map(({ file }) => file))];
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const made = files.flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), "utf8")));
    expect(staleExplanations(listed, files, made)).toEqual([]);
  });
});

test("every written fault can still be put in", () => {
  const places = FAULTS.map(({ name, file, from }) => [
    name,
    readFileSync(join(ROOT, file), "utf8").split(from).length - 1,
  ]);
  expect(places.filter(([, count]) => count !== 1)).toEqual([]);
  expect(FAULTS.flatMap(({ tests }) => tests).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
