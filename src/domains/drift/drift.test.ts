import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { judgeChange } from "../scope/scope.ts";
import { boundaryHits, parseBoundary } from "./boundary.ts";
import { missingCoUpdates } from "./co-updates.ts";
import { driftOf, passRate, summariseDrift } from "./drift.ts";

function score(files: number, inScope: number, filesMax: number, hits = 0): number {
  return driftOf({ files, inScope, filesMax, boundaryHits: hits }).score;
}

proves("GD-1", "case 1: 4 files in scope of a budget of 12: 0.117", () => {
  expect(score(4, 4, 12)).toBe(0.117);
});

proves("GD-1", "case 2: a full budget is 0.35, an exceeded one too, none is 0", () => {
  expect([score(4, 4, 4), score(4, 4, 2), score(4, 4, 0)]).toEqual([0.35, 0.35, 0]);
});

proves("GD-1", "case 3: 2 of 4 in scope: 0.367", () => {
  expect(score(4, 2, 12)).toBe(0.367);
});

proves("GD-1", "case 4: 2 of 4 in scope, and a file that the boundary names: 0.575", () => {
  const boundary = parseBoundary("do not touch infra/**, please");
  expect(boundary).toEqual({ forbidden: ["infra/**"], only: [] });
  const hits = boundaryHits(["src/a", "src/b", "docs/c", "infra/i.tf"], boundary);
  expect(hits).toEqual(["infra/i.tf"]);
  expect(score(4, 2, 8, hits.length)).toBe(0.575);
});

proves("GD-1", "case 5: nothing in scope, over the boundary and the budget: 1; nothing changed: 0", () => {
  expect([score(4, 0, 2, 1), score(0, 0, 12)]).toEqual([1, 0]);
});

proves("GD-1", "case 6: allow `**`, deny `docs/**`, 1 of 4 in docs: 0.242", () => {
  const scope = { allow: ["**"], deny: ["docs/**"] };
  const files = ["src/a", "src/b", "c", "docs/d"];
  const inScope = files.filter((file) => judgeChange(file, scope).verdict === "allow").length;
  expect(score(files.length, inScope, 12)).toBe(0.242);
});

proves("GD-1", "case 7: figures between two digits are rounded as they are stored: 0.362 and 0.425", () => {
  const boundary = parseBoundary("(infra/*.tf).");
  expect(boundary.forbidden).toEqual(["infra/*.tf"]);
  const hits = boundaryHits(["infra/main.tf", "infra/deep/x.tf"], boundary);
  expect(hits).toEqual(["infra/main.tf"]);
  expect(score(4, 3, 16, hits.length)).toBe(0.362);
  expect(score(2, 1, 4)).toBe(0.425);
  expect(score(2, 1, 4).toFixed(2)).toBe("0.42");
});

proves("GD-1", "case 8: a boundary without a path forbids nothing", () => {
  const boundary = parseBoundary("stay away from the payments module");
  expect(boundary).toEqual({ forbidden: [], only: [] });
  expect(boundaryHits(["payments/a.ts"], boundary)).toEqual([]);
});

proves("GD-1", "case 25: drifts and checks are counted in their buckets", () => {
  expect(summariseDrift([0.1, 0.5, 0.8, 0.2])).toEqual({ average: 0.4, max: 0.8, low: 2, medium: 1, high: 1 });
  expect(passRate(["passed", "failed", "bypassed", "passed"])).toBe(0.5);
  expect([summariseDrift([]), passRate([])]).toEqual([null, null]);
  expect(summariseDrift([0.3, 0.7])).toMatchObject({ low: 0, medium: 1, high: 1 });
});

proves("GD-1", "each part is told, and the lines stand beside the score", () => {
  const changed = { files: 4, inScope: 3, filesMax: 8, boundaryHits: 2 };
  expect(driftOf({ ...changed, linesChanged: 100, linesMax: 400 })).toEqual({
    ...{ score: 0.45, scope: 0.25, budget: 0.5, boundary: 1, lines: 0.25 },
  });
  expect(driftOf({ ...changed, linesChanged: 9000, linesMax: 400 })).toMatchObject({ score: 0.45, lines: 1 });
  expect(driftOf(changed).lines).toBe(0);
});

proves("GD-1", "every figure is from 0 to 1, and one more file out of scope never lowers the score", () => {
  const counted = fc.record({ files: fc.nat(200), out: fc.nat(200), filesMax: fc.integer({ min: -1, max: 50 }) });
  fc.assert(
    fc.property(counted, fc.boolean(), ({ files, out, filesMax }, isHit) => {
      const hits = isHit ? 1 : 0;
      const drift = driftOf({ files: files + out, inScope: files, filesMax, boundaryHits: hits });
      for (const figure of Object.values(drift)) expect(figure >= 0 && figure <= 1).toBe(true);
      expect(score(files + out + 1, files, filesMax, hits)).toBeGreaterThanOrEqual(drift.score);
    }),
  );
});

proves("GD-1", "a boundary that says what alone may change forbids the rest", () => {
  const boundary = parseBoundary("Only change src/** and `lib/x.ts`. Never touch src/secret/, see https://a/b.");
  expect(boundary).toEqual({ only: ["src/**", "lib/x.ts"], forbidden: ["src/secret"] });
  const paths = ["src/a", "lib/x.ts", "lib/y.ts", "src/secret/k", "README.md"];
  expect(boundaryHits(paths, boundary)).toEqual(["lib/y.ts", "src/secret/k", "README.md"]);
  expect(parseBoundary("./.github/workflows, ../up, a?b/c, \"'docs/'\"").forbidden).toEqual([
    ".github/workflows",
    "docs",
  ]);
});

proves("GD-1", "any boundary text is read without an exception, within its bounds", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab/*. ,'(only)not\n") }), (text) => {
      const boundary = parseBoundary(text);
      boundaryHits(["a/b", "b"], boundary);
      expect(boundary.forbidden.length + boundary.only.length).toBeLessThanOrEqual(128);
    }),
  );
  expect(parseBoundary(Array.from({ length: 5000 }, (_, n) => `a/${n}`).join(" ")).forbidden).toHaveLength(64);
});

proves("GD-5", "case 31: a changed file names those that change with it", () => {
  expect(missingCoUpdates(["a", "b"], [{ files: ["a", "c", "d"], label: "schema" }])).toEqual([
    { file: "c", label: "schema" },
    { file: "d", label: "schema" },
  ]);
  expect(missingCoUpdates(["b"], [{ files: ["a", "c"], label: "schema" }])).toEqual([]);
});
