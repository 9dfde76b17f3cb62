import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Candidate, chooseTests } from "../tools/test-changed/choose.ts";
import { distancesFrom, readImporters } from "../tools/test-changed/importers.ts";

const ROOT = join(import.meta.dirname, "..");

const candidate = (path: string, seconds: number): Candidate => ({ project: "unit", path, seconds });

describe("which tests belong to a change", () => {
  const changed = ["src/host/worktrees/remove-worktree.ts"];
  const beside = candidate("src/host/worktrees/find-work.test.ts", 18);
  const importing = candidate("src/supervisor/files/worktrees-here.test.ts", 5);
  const byName = candidate("test/e2e/worktrees.test.ts", 12);
  const stranger = candidate("test/e2e/approvals.test.ts", 1);
  const distances = new Map([[importing.path, 3]]);
  const all = [stranger, byName, importing, beside];

  test("the closest come first: the folder, what imports it, then the whole daemon by name; strangers never", () => {
    expect(chooseTests(changed, all, distances, 100)).toEqual({ run: [beside, importing, byName], leftOut: [] });
  });

  test("what has no room is left out and said, and a shorter one behind it still runs", () => {
    expect(chooseTests(changed, all, distances, 20)).toEqual({ run: [beside], leftOut: [importing, byName] });
    expect(chooseTests(changed, all, distances, 6)).toEqual({ run: [importing], leftOut: [beside, byName] });
  });

  test("a changed test runs however long it takes", () => {
    expect(chooseTests([byName.path], all, new Map(), 1)).toEqual({ run: [byName], leftOut: [] });
  });
});

test("a thread, a dynamic import and an entrance all lead from a file to its tests", () => {
  const importers = readImporters(ROOT);
  const reached = (path: string) => distancesFrom([path], importers);
  expect(importers.get("src/store/sqlite/writer/writer-thread.ts")?.length).toBeGreaterThan(0);
  expect(reached("src/domains/gate/gate.ts").has("src/domains/gate/gate.test.ts")).toBe(true);
  expect(reached("tools/test-changed/choose.ts").get("test/test-changed.test.ts")).toBe(1);
  expect(reached("docs/guarantees.md").size).toBe(1);
});
