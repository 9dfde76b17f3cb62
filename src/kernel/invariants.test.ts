import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const PROVING = /\bproves\(\s*"(K\d+)"/g;
const ROW = /^\| (K\d+) \| .+ \| (.+) \|$/gm;

test("docs/reference/invariants.md lists every proved invariant and the files that prove it", () => {
  const page = readFileSync(join(ROOT, "docs/reference/invariants.md"), "utf8");
  const named = [...page.matchAll(ROW)].map(
    ([, id = "", files = ""]) => [id, files.replaceAll("`", "").split(", ")] as const,
  );
  const numbers = named.map(([id]) => Number(id.slice(1)));
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));

  const proved = new Map<string, Set<string>>();
  for (const path of globSync(["src/{kernel,domains}/**/*.test.ts", "test/log-format.test.ts"], { cwd: ROOT }))
    for (const [, id = ""] of readFileSync(join(ROOT, path), "utf8").matchAll(PROVING))
      proved.set(id, (proved.get(id) ?? new Set()).add(path.replace(/^src\/(?:kernel\/)?/, "")));
  expect(Object.fromEntries(named.map(([id, files]) => [id, files.toSorted()]))).toEqual(
    Object.fromEntries([...proved].map(([id, files]) => [id, [...files].toSorted()])),
  );
});
