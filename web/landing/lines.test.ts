import { expect, test } from "vitest";
import { doingOf, inFrontOf, type Landing, linesOf } from "./lines.ts";

const LANDING: Landing = {
  ...{ id: "a", sessionId: "s", sessionName: "calm-oak-01", repository: "/w", into: "main", state: "queued" },
  ...{ how: "merge", checks: [], attempt: 1, attemptsMax: 3, queuedAt: "2", changedAt: "", findings: [] },
};

test("each branch has its queue, in order: who is checked first, then by place", () => {
  const checked: Landing = { ...LANDING, id: "c", state: "checking", queuedAt: "1" };
  const second: Landing = { ...LANDING, id: "b", ahead: 2 };
  const first: Landing = { ...LANDING, ahead: 1 };
  const other: Landing = { ...LANDING, id: "o", into: "next", queuedAt: "0" };
  const lines = linesOf([second, first, checked, other]);
  expect(lines.map(({ into, landings }) => [into, landings.map(({ id }) => id)])).toEqual([
    ["next", ["o"]],
    ["main", ["c", "a", "b"]],
  ]);
  const main = lines[1];
  if (main === undefined) throw new Error("no line");
  expect([checked, first, second].map((one) => inFrontOf(one, main)?.id ?? null)).toEqual([null, null, "a"]);
});

test("what a landing does is said in a few words", () => {
  const finding = { rule: "check", message: "`npm test` exited with 1.", remedy: "mend it" } as const;
  const pushed = { remote: "origin", branch: "nomos/x", url: null, next: [] };
  const cases: readonly (readonly [Partial<Landing>, string])[] = [
    [{ ahead: 0 }, "next"],
    [{ ahead: 2 }, "2 ahead"],
    [{ held: "later" }, "later"],
    [{ state: "checking" }, "passing the gate"],
    [{ state: "checking", checking: "npm test" }, "npm test"],
    [{ state: "landed", files: 1, added: 2, removed: 0, commit: "0123456789abc" }, "1 file, +2 −0 · 0123456789"],
    [{ state: "landed", files: 2, added: 2, pushed }, "2 files, +2 −0 · pushed nomos/x"],
    [{ state: "refused", findings: [finding], waitsFor: "person" }, "`npm test` exited with 1."],
    [{ state: "refused", findings: [finding], waitsFor: "agent" }, "its agent was told and mends it"],
    [{ state: "refused", findings: [finding], retriedAs: "x" }, "mended and tried again"],
    [{ state: "ejected", reason: "not now" }, "not now"],
  ];
  for (const [given, said] of cases) expect(doingOf({ ...LANDING, ...given })).toBe(said);
});
