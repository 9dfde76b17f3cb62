import fc from "fast-check";
import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { Judgement } from "./fanout-events.ts";
import { overlaps, rankCandidates } from "./rank.ts";

const WELL: Judgement = {
  ...{ sessionId: "a", turnId: "t", outcome: "completed", into: "main", checks: 1, checkMs: 5, findings: [], more: 0 },
  ...{ files: 1, added: 10, removed: 0, paths: ["a.ts"], turnMs: 100, spent: null, error: null },
};
const finding = { rule: "check", message: "npm test failed", remedy: "mend it" } as const;
const spentOf = (costMicroUsd: number | null, input = 100) => ({
  ...{ input, output: 0, cacheRead: 0, cacheWrite: 0, costMicroUsd },
});
const given = (...parts: readonly Partial<Judgement>[]): readonly Judgement[] =>
  parts.map((part, at) => ({ ...WELL, sessionId: "abcdefgh"[at] ?? "", ...part }));
const order = (judged: readonly Judgement[]): string =>
  rankCandidates(judged)
    .map(({ sessionId }) => sessionId)
    .join("");
const reasons = (judged: readonly Judgement[]): readonly string[] => rankCandidates(judged).map(({ reason }) => reason);

proves("FAN-1", "passed checks come first, then the smaller change, then the cheaper one, then the faster one", () => {
  expect(order(given({ findings: [finding], added: 1 }, { added: 900 }))).toBe("ba");
  expect(order(given({ added: 5, removed: 6 }, { added: 10 }))).toBe("ba");
  expect(order(given({ spent: spentOf(20) }, { spent: spentOf(10) }))).toBe("ba");
  expect(order(given({ spent: spentOf(null, 20) }, { spent: spentOf(null, 10) }))).toBe("ba");
  expect(order(given({ turnMs: 20 }, { turnMs: 10 }))).toBe("ba");
  expect(order(given({}, {}))).toBe("ab");
});

proves("FAN-1", "each rank comes with what decided it", () => {
  expect(reasons(given({ added: 1 }, { added: 2 }))).toEqual([
    ...["checks passed, a smaller change", "checks passed, a larger change"],
  ]);
  expect(reasons(given({ spent: spentOf(1) }, { spent: spentOf(2) }))).toEqual([
    ...["checks passed, cheaper", "checks passed, more expensive"],
  ]);
  expect(reasons(given({ checks: 0 }, { checks: 0 }))).toEqual([
    ...["nothing speaks against it", "nothing speaks against it, the same otherwise"],
  ]);
  expect(
    reasons(
      given(
        { findings: [finding, finding], more: 3 },
        { files: 0 },
        { outcome: "failed" },
        { error: { code: "git_failed", message: "git failed" } },
      ),
    ),
  ).toEqual(["5 findings: check", "changed nothing", "its turn ended as failed", "could not be judged: git failed"]);
});

test("a price that only some agents tell decides nothing", () => {
  const judged = given({ spent: spentOf(5), turnMs: 3 }, { spent: null, turnMs: 1 }, { spent: spentOf(9), turnMs: 2 });
  expect(order(judged)).toBe("bca");
});

const judgements: fc.Arbitrary<readonly Judgement[]> = fc
  .array(
    fc.record({
      outcome: fc.constantFrom("completed", "failed"),
      error: fc.constantFrom(null, null, { code: "git_failed", message: "git" }),
      findings: fc.constantFrom([], [], [finding]),
      files: fc.nat({ max: 2 }),
      added: fc.nat({ max: 2 }),
      removed: fc.nat({ max: 2 }),
      turnMs: fc.nat({ max: 2 }),
      spent: fc.constantFrom(null, spentOf(null), spentOf(1), spentOf(2)),
    }),
    { maxLength: 8 },
  )
  .map((parts) => given(...parts));

proves("FAN-1", "the ranking is one order: of the same candidates it never depends on how they are named first", () => {
  fc.assert(
    fc.property(judgements, (judged) => {
      const ranked = rankCandidates(judged);
      expect(ranked.map(({ rank }) => rank)).toEqual(judged.map((_one, at) => at + 1));
      const firstFailing = ranked.findIndex(({ passes }) => !passes);
      if (firstFailing >= 0) expect(ranked.slice(firstFailing).some(({ passes }) => passes)).toBe(false);
      const again = ranked.map(({ sessionId }) => judged.find((one) => one.sessionId === sessionId) ?? WELL);
      expect(rankCandidates(again)).toEqual(ranked);
      for (const one of ranked.filter(({ passes }) => passes)) {
        const { files, findings, outcome } = judged.find(({ sessionId }) => sessionId === one.sessionId) ?? WELL;
        expect([files > 0, findings.length, outcome]).toEqual([true, 0, "completed"]);
      }
    }),
    { numRuns: 500 },
  );
});

test("files that several candidates changed are listed, the most shared first, and a cut list says how many are missing", () => {
  const judged = given({ paths: ["a", "b"] }, { paths: ["b", "c"] }, { paths: ["b", "a"] });
  expect(overlaps(judged, 10)).toEqual({
    files: [
      { path: "b", sessions: ["a", "b", "c"] },
      { path: "a", sessions: ["a", "c"] },
    ],
    more: 0,
  });
  expect(overlaps(judged, 1)).toMatchObject({ files: [{ path: "b" }], more: 1 });
});
