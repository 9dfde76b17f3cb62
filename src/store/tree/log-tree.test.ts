import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { memoryLog } from "../../../test/support/hashed-log.ts";
import { sha256 } from "../../../test/support/node-sha256.ts";
import { proves } from "../../../test/support/proves.ts";
import { makeTestHome } from "../../../test/support/store-home.ts";
import { hex, leafHash, verifyConsistency, verifyInclusion } from "../../domains/index.ts";
import { checkTree } from "./check-tree.ts";
import { type LogTree, newLogTree, openLogTree } from "./log-tree.ts";
import { openCheckedTree } from "./open-checked.ts";
import { createTileFiles, tilePath } from "./tile-files.ts";
import type { TileStore } from "./tile-store.ts";

proves("AUD-1", "a tile's path has groups of three digits", () => {
  expect(tilePath(0, 0)).toBe("tile/0/000");
  expect(tilePath(1, 999)).toBe("tile/1/999");
  expect(tilePath(0, 1234067)).toBe("tile/0/x001/x234/067");
  expect(tilePath(2, 1000, 7)).toBe("tile/2/x001/000.p/7");
});

proves(
  "AUD-1",
  "a tree that grows in any batches and is reopened between them has the naive root and C2SP's files",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 }), async (portions) => {
        await using home = await makeTestHome();
        const log = memoryLog();
        for (const portion of portions) {
          log.grow(portion);
          const tiles = createTileFiles(home.path);
          const tree = (await openLogTree(log, tiles)) ?? newLogTree(log, tiles);
          await tree.advance();
          expect(hex(tree.head().root)).toBe(hex(naiveRoot(leavesOf(log.hashes()))));
          expect(await filesIn(home.path)).toEqual(expectedFiles(log.hashes().length));
        }
      }),
      { numRuns: 15 },
    );
  },
);

proves("AUD-1", "proofs verify for every past size, across tiles and levels", async () => {
  await using home = await makeTestHome();
  const size = 70_000;
  const log = memoryLog(size);
  const tree = await grown(log, createTileFiles(home.path));
  const leaves = leavesOf(log.hashes());
  // The example from the C2SP specification.
  expect((await filesIn(home.path)).filter((path) => !path.startsWith("tile/0/"))).toEqual([
    "size",
    "tile/1/000",
    "tile/1/001.p/17",
    "tile/2/000.p/1",
  ]);
  const sizes = [1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 69_999, size];
  for (const second of sizes) {
    const root = await tree.rootAt(second);
    expect(hex(root)).toBe(hex(naiveRoot(leaves.slice(0, second))));
    for (const index of [0, 1, 255, 256, 300, 65_535, 65_536, second - 1].filter((at) => at < second)) {
      const leaf = leaves[index] ?? new Uint8Array();
      const hashes = await tree.inclusion(index, second);
      expect(verifyInclusion(sha256, { leaf, index, size: second, root, hashes })).toBe(true);
    }
    for (const first of sizes.filter((older) => older <= second)) {
      const hashes = await tree.consistency(first, second);
      const firstRoot = await tree.rootAt(first);
      expect(verifyConsistency(sha256, { first, second, firstRoot, secondRoot: root, hashes })).toBe(true);
    }
  }
});

proves(
  "AUD-2",
  "a missing or changed tile is named when it is needed, found by the check and repaired from the log",
  async () => {
    await using home = await makeTestHome();
    const log = memoryLog(3000);
    const tiles = createTileFiles(home.path);
    const before = await grown(log, tiles);
    await flipByte(join(home.path, tilePath(0, 3)), 100);
    await rm(join(home.path, tilePath(0, 7)));
    await writeFile(join(home.path, tilePath(0, 8)), "short");
    const tree = (await openLogTree(log, tiles)) ?? expect.fail("the edge is whole");
    await expect(tree.inclusion(3 * 256 + 5, 3000)).rejects.toMatchObject({
      code: "tile_missing",
      details: { level: 0, index: 3, problem: "altered" },
    });
    await expect(tree.tile(0, 7)).rejects.toMatchObject({ code: "tile_missing", details: { problem: "missing" } });
    await expect(tree.tile(0, 99)).rejects.toMatchObject({ code: "tile_not_found" });
    expect((await tree.inclusion(5, 3000)).length).toBeGreaterThan(10);

    const wrong = [
      { problem: "tile_altered", level: 0, index: 3 },
      { problem: "tile_missing", level: 0, index: 7 },
      { problem: "tile_missing", level: 0, index: 8 },
    ];
    const given = { log, tiles, tree, signed: before.head() };
    expect(await checkTree({ ...given, repair: false })).toMatchObject({ ok: false, size: 3000, problems: wrong });
    expect(await checkTree({ ...given, repair: true })).toMatchObject({ ok: false, problems: wrong });
    expect(await checkTree({ ...given, repair: false })).toMatchObject({ ok: true, problems: [] });
    expect((await tree.inclusion(3 * 256 + 5, 3000)).length).toBeGreaterThan(10);
  },
);

proves("AUD-2", "a tree that lost most of its tiles is rebuilt as a whole", async () => {
  await using home = await makeTestHome();
  const log = memoryLog(40_000);
  const tiles = createTileFiles(home.path);
  const tree = await grown(log, tiles);
  await rm(join(home.path, "tile"), { recursive: true });
  expect((await checkTree({ log, tiles, tree, signed: null, repair: true })).problems).toHaveLength(100);
  expect(await checkTree({ log, tiles, tree, signed: null, repair: false })).toMatchObject({ ok: true });
});

proves(
  "AUD-2",
  "a replaced event is named and the tree is not repaired from it: the tiles are the evidence",
  async () => {
    await using home = await makeTestHome();
    const log = memoryLog(5000);
    const tiles = createTileFiles(home.path);
    const tree = await grown(log, tiles);
    const signed = tree.head();
    log.exchange(1234);
    const report = await checkTree({ log, tiles, tree, signed, repair: true });
    expect(report.problems[0]).toEqual({ problem: "event_altered", seq: 1234 });
    expect(report.problems.at(-1)).toMatchObject({ problem: "root_mismatch", size: 5000 });
    expect(await checkTree({ log, tiles, tree, signed, repair: false })).toEqual(report);
  },
);

proves("AUD-3", "a log shorter than the tree or the checkpoint, or with another end, is refused", async () => {
  await using home = await makeTestHome();
  const log = memoryLog(1000);
  const tiles = createTileFiles(home.path);
  const signed = (await grown(log, tiles)).head();
  expect((await openCheckedTree(log, tiles, signed)).renewed).toBe(false);

  log.cut(900);
  const shorter = { code: "log_rolled_back", details: { logSize: 900, checkpointSize: 1000 } };
  await expect(openCheckedTree(log, tiles, signed)).rejects.toMatchObject(shorter);
  await expect(openCheckedTree(log, tiles, null)).rejects.toMatchObject({
    details: { logSize: 900, treeSize: 1000 },
  });

  for (let seq = 901; seq <= 1200; seq += 1) log.exchange(seq);
  const another = { code: "log_rolled_back", details: { seq: 901 } };
  await expect(openCheckedTree(log, tiles, signed)).rejects.toMatchObject(another);
  await expect(openCheckedTree(log, tiles, null)).rejects.toMatchObject(another);

  const files = await filesIn(home.path);
  await rm(join(home.path, tilePath(0, 3, 232)));
  const root = { code: "log_rolled_back", details: { checkpointSize: 1000 } };
  await expect(openCheckedTree(log, tiles, signed)).rejects.toMatchObject(root);
  expect(await filesIn(home.path)).toEqual(files.filter((path) => path !== tilePath(0, 3, 232)));
});

proves(
  "AUD-3",
  "a deleted tree, or one with a damaged edge, is rebuilt and compared with what was signed",
  async () => {
    await using home = await makeTestHome();
    const log = memoryLog(1000);
    const tiles = createTileFiles(home.path);
    const signed = (await grown(log, tiles)).head();
    const damages = [
      () => rm(home.path, { recursive: true }),
      () => rm(join(home.path, "size")),
      () => writeFile(join(home.path, "size"), "1000\nnonsense\n"),
      () => rm(join(home.path, tilePath(0, 3, 232))),
      () => flipByte(join(home.path, tilePath(0, 3, 232)), 33),
      () => rm(join(home.path, tilePath(0, 1))),
    ];
    for (const damage of damages) {
      await damage();
      const { tree, renewed } = await openCheckedTree(log, tiles, signed);
      expect(renewed).toBe(true);
      expect(hex(tree.head().root)).toBe(hex(signed.root));
      expect(await checkTree({ log, tiles, tree, signed, repair: false })).toMatchObject({ ok: true });
    }
  },
);

proves("AUD-4", "a crash before any operation on the tiles leaves a tree that can go on", async () => {
  const log = memoryLog(520);
  for (let crashAt = 0; ; crashAt += 1) {
    await using home = await makeTestHome();
    const tiles = createTileFiles(home.path);
    await grown(memoryLog(300), tiles);
    const crash = { left: crashAt, happened: false };
    await newOrOpen(log, crashing(tiles, crash))
      .then((tree) => tree.advance())
      .catch(() => undefined);
    const tree = (await openLogTree(log, tiles)) ?? expect.fail("the tree cannot be gone on with");
    await tree.advance();
    expect(await checkTree({ log, tiles, tree, signed: null, repair: false })).toMatchObject({ ok: true, size: 520 });
    if (!crash.happened) break;
  }
});

proves("AUD-4", "torn tiles beyond the head are never read", async () => {
  await using home = await makeTestHome();
  const log = memoryLog(300);
  const tiles = createTileFiles(home.path);
  await grown(log, tiles);
  log.grow(300);
  await writeFile(join(home.path, tilePath(0, 1)), Buffer.alloc(8192));
  await writeFile(join(home.path, tilePath(0, 1, 99)), "torn");
  const tree = (await openLogTree(log, tiles)) ?? expect.fail("the tree cannot be gone on with");
  await tree.advance();
  expect(await checkTree({ log, tiles, tree, signed: null, repair: false })).toMatchObject({ ok: true, size: 600 });
});

async function newOrOpen(log: ReturnType<typeof memoryLog>, tiles: TileStore): Promise<LogTree> {
  return (await openLogTree(log, tiles)) ?? newLogTree(log, tiles);
}

/** Fails before the n-th tile or head is written, as if the process had died. */
function crashing(tiles: TileStore, crash: { left: number; happened: boolean }): TileStore {
  const step = (): void => {
    crash.happened = crash.left <= 0;
    crash.left -= 1;
    if (crash.happened) throw new Error("crash");
  };
  return {
    ...tiles,
    write: async (written, head) => {
      for (const tile of written) {
        step();
        await tiles.write([tile], null);
      }
      step();
      await tiles.write(written, head);
    },
  };
}

async function grown(log: ReturnType<typeof memoryLog>, tiles: TileStore): Promise<LogTree> {
  const tree = newLogTree(log, tiles);
  await tree.advance();
  return tree;
}

async function flipByte(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

async function filesIn(root: string): Promise<readonly string[]> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

function expectedFiles(size: number): readonly string[] {
  const files = ["size"];
  for (let level = 0, count = size; count > 0; level += 1, count = Math.floor(count / 256)) {
    for (let index = 0; index < Math.floor(count / 256); index += 1) files.push(tilePath(level, index));
    if (count % 256 > 0) files.push(tilePath(level, Math.floor(count / 256), count % 256));
  }
  return files.sort();
}

function leavesOf(hashes: readonly Uint8Array[]): readonly Uint8Array[] {
  return hashes.map((hash) => leafHash(sha256, hash));
}

function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined || leaves.length === 1) return only ?? sha256();
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return sha256(Uint8Array.of(1), naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
}
