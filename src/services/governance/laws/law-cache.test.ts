import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import type { Governed } from "../../../governance/index.ts";
import type { HeldLaw } from "./held-law.ts";
import { createLawCache } from "./law-cache.ts";

let repo = "";
beforeEach(() => {
  repo = realpathSync(mkdtempSync(join(tmpdir(), "law-cache-")));
  git("init", "-q", "--initial-branch=main");
  commit();
});
afterEach(() => rmSync(repo, { recursive: true, force: true }));

const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], { cwd: repo }).toString();
const commit = (): void => void git("commit", "-q", "--allow-empty", "-m", "one more");
const tip = (): string => git("rev-parse", "main").trim();

/** Reads as slowly as the test says. */
function slowCache() {
  const readings: (() => void)[] = [];
  const cache = createLawCache({
    open: async () => {
      const commonDir = join(repo, ".git");
      return { root: repo, commonDir, ref: "refs/heads/main", tip: tip() } as Governed;
    },
    read: async (governed) => {
      await new Promise<void>((resolve) => readings.push(resolve));
      return { governed, sound: null, compiled: null, problems: [] } satisfies HeldLaw;
    },
    onRead: () => undefined,
  });
  const reading = async (count: number): Promise<void> => {
    for (let tries = 0; readings.length < count && tries < 500; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(readings).toHaveLength(count);
  };
  return { cache, reading, go: (at: number) => readings[at]?.() };
}

proves("GT-7", "a law asked for after a commit is not the one that was being read before it", async () => {
  const { cache, reading, go } = slowCache();
  const early = cache.at(repo);
  await reading(1);
  commit();
  const late = cache.at(repo);
  // It finds the first reading under way.
  await new Promise((resolve) => setTimeout(resolve, 50));
  go(0);
  await early;
  await reading(2);
  go(1);
  expect((await late)?.governed.tip).toBe(tip());
});

proves("GT-7", "a slow reading of one directory does not replace what another one has read since", async () => {
  const { cache, reading, go } = slowCache();
  const early = cache.at(repo);
  await reading(1);
  commit();
  const below = cache.at(join(repo, ".git"));
  await reading(2);
  go(1);
  await below;
  go(0);
  await early;
  expect((await cache.at(join(repo, ".git")))?.governed.tip).toBe(tip());
});
