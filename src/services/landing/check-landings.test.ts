import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { LandingOrder } from "../../domains/index.ts";
import { createCheckRuns } from "./check-landings.ts";
import type { LandingDeps } from "./landing-deps.ts";

type CheckRunsDeps = Parameters<typeof createCheckRuns>[0];
type ToCheck = Parameters<ReturnType<typeof createCheckRuns>["check"]>[0];

/** Checks that end when they are told to. */
function setUp() {
  const running = new Map<string, () => void>();
  const check: LandingDeps["judge"]["check"] = async ({ commit, checks }) => {
    if (checks.length > 0) await new Promise<void>((resolve) => running.set(commit, resolve));
    return { findings: [], passed: [], checkMs: 0 };
  };
  const discard = (folder: string) => rm(folder, { recursive: true });
  const parts = {
    judge: { check },
    settings: () => ({ checks: [] }),
    scratch: join(tmpdir(), "check-landings"),
    discard,
  };
  const runs = createCheckRuns(parts as unknown as CheckRunsDeps);
  const start = (commit: string, checks: LandingOrder["checks"], signal = new AbortController().signal) => {
    const landings = [{ id: commit, order: { into: commit, checks } }];
    return runs.check({ landings, onto: "", commit } as unknown as ToCheck, signal);
  };
  return { running, start };
}

proves("LAND-45", "four branches are checked at a time; who has no checks or is ejected does not wait", async () => {
  const { running, start } = setUp();
  const hung = ["a", "b", "c", "d"].map((branch) => start(branch, [["hangs"]]));
  await expect.poll(() => [...running.keys()].toSorted()).toEqual(["a", "b", "c", "d"]);
  expect(await start("unchecked", [])).toMatchObject({ findings: [] });
  const ejected = new AbortController();
  const gone = start("ejected", [["true"]], ejected.signal);
  const last = start("last", [["true"]]);
  ejected.abort(new Error("ejected"));
  await expect(gone).rejects.toThrow("ejected");
  expect(running.has("last")).toBe(false);
  running.get("b")?.();
  await expect.poll(() => running.has("last")).toBe(true);
  for (const end of running.values()) end();
  await Promise.all([...hung, last]);
  // All places are free again.
  const again = ["e", "f", "g", "h"].map((branch) => start(branch, [["hangs"]]));
  await expect.poll(() => ["e", "f", "g", "h"].every((branch) => running.has(branch))).toBe(true);
  for (const end of running.values()) end();
  await Promise.all(again);
});
