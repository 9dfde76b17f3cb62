import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, vi } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { setUpBench } from "../../../test/support/worktree-bench.ts";
import { settleIndex } from "./head-index.ts";
import { placeIn } from "./worktree-record.ts";

const LATER_MS = 120_000;

afterEach(() => vi.useRealTimers());

function pretendLater(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + LATER_MS });
}

proves("WT-15", "an index counts as newer only when no write in its second can be missed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "settle-"));
  const place = placeIn(folder);
  await mkdir(place.tree);
  await writeFile(join(place.tree, "changed"), "");
  const index = { commit: "a", file: place.index };
  const settledAt = async (madeMs: number, changed: readonly string[], of = index): Promise<number> => {
    await writeFile(place.index, "");
    await utimes(place.index, madeMs / 1000, madeMs / 1000);
    await settleIndex(place, of, changed);
    return (await stat(place.index)).mtimeMs - madeMs;
  };
  const nowMs = Math.floor(Date.now() / 1000) * 1000 + 500;
  expect(await settledAt(nowMs, [])).toBe(0);
  pretendLater();
  expect(await settledAt(nowMs, [])).toBe(500);
  expect(await settledAt(nowMs + 500, [])).toBe(0);
  expect(await settledAt(nowMs - 10_000, ["changed"])).toBe(500);
  expect(await settledAt(nowMs + 2000, ["changed"])).toBe(0);
  expect(await settledAt(nowMs, ["gone"])).toBe(500);
  expect(await settledAt(nowMs, [], { commit: "a", file: join(folder, "other") })).toBe(0);
  await rm(folder, { recursive: true });
});

proves("WT-15", "a change of the same size is found after the index was settled", async () => {
  using bench = setUpBench();
  const { id, path } = await bench.worktree();
  const { index } = placeIn(join(path, ".."));
  const made = await stat(index);
  pretendLater();
  expect(await bench.yard.work(id)).toMatchObject({ changed: [], unclear: null });
  expect((await stat(index)).mtimeMs).toBeGreaterThan(made.mtimeMs);
  vi.useRealTimers();
  await sleep(1100);
  bench.write(join(path, "README.md"), "HELLO\n");
  expect((await bench.yard.work(id)).changed).toEqual(["README.md"]);
});
