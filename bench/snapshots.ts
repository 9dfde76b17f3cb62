import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSnapshots, type TreeSpec } from "../src/host/index.ts";
import { type Bench, type Benchmark, type Figure, median, timedMs } from "./harness.ts";

const CHANGED = 10;
const FILE_BYTES = 2000;
const FOLDER_FILES = 20;
const ROUNDS = 15;
const MB = 1_000_000;
const LARGE_BYTES = 1000 * MB;
const QUICK_LARGE_BYTES = 100 * MB;

/**
 * Trees of three sizes: first snapshot, snapshot with ten changed files, restore; then a fork of a large one. Needs a
 * real disk: on tmpfs every snapshot reads every file, and that would be measured.
 */
export const snapshotsBenchmark: Benchmark = {
  name: "snapshots",
  run: async (bench) => {
    if (spawnSync("bwrap", ["--version"]).status !== 0) return { skipped: "bubblewrap is not installed" };
    const sizes = bench.quick ? [100, 5000] : [100, 5000, 50_000];
    const figures: Figure[] = [];
    for (const files of sizes) figures.push(...(await bySize(bench, files)));
    figures.push(await forkOfLarge(bench));
    return figures;
  },
};

async function bySize({ scratch, say }: Bench, files: number): Promise<readonly Figure[]> {
  const folder = join(scratch, `snapshots-${files}`);
  const root = join(folder, "tree");
  plant(root, files);
  const snapshots = openSnapshots({ folder: join(folder, "store"), bwrapPath: "bwrap" });
  const tree = treeAt(root);
  const first = await snapshots.take(tree);
  // A file written just now is read twice: its change time is too recent to be trusted.
  await new Promise((resolve) => setTimeout(resolve, 100));
  await snapshots.take(tree);
  const takes: number[] = [];
  const restores: number[] = [];
  const stored: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    change(root, round);
    takes.push(await timedMs(async () => void stored.push((await snapshots.take(tree)).storedBytes)));
    if (round % 3 === 0) restores.push(await timedMs(() => snapshots.restore(tree, first.id)));
  }
  // The minimum: another program looks at every file once.
  const look = await timedMs(
    async () => void spawnSync("find", [root, "-printf", "%s %T@ %C@ %i\n"], { maxBuffer: 1e9 }),
  );
  const copy = await timedMs(async () => void spawnSync("cp", ["-a", root, join(folder, "copy")]));
  await snapshots.close();
  rmSync(folder, { recursive: true, force: true });
  say(`${files} files: ${median(takes).toFixed(1)} ms with ${CHANGED} changed`);
  const of = `of ${files} files`;
  return [
    {
      name: `snapshots.first.${files}`,
      what: `the first snapshot ${of}`,
      unit: "ms",
      value: first.tookMs,
      baseline: { what: "cp -a", value: copy },
      aim: null,
      details: { storedMb: first.storedBytes / MB, treeMb: first.bytes / MB },
    },
    {
      name: `snapshots.changed.${files}`,
      what: `a snapshot ${of} with ${CHANGED} changed`,
      unit: "ms",
      value: median(takes),
      baseline: { what: "find, looking at each file once", value: look },
      aim: files === 50_000 ? { valueAtMost: 250 } : null,
      details: { storedKb: median(stored) / 1000, rounds: takes.length },
    },
    {
      name: `snapshots.restore.${files}`,
      what: `a restore ${of} with ${CHANGED} changed`,
      unit: "ms",
      value: median(restores),
      baseline: { what: "cp -a of the whole", value: copy },
      aim: null,
      details: { rounds: restores.length },
    },
  ];
}

async function forkOfLarge({ scratch, quick }: Bench): Promise<Figure> {
  const folder = join(scratch, "snapshots-large");
  const root = join(folder, "tree");
  mkdirSync(root, { recursive: true });
  const bytes = quick ? QUICK_LARGE_BYTES : LARGE_BYTES;
  const piece = Buffer.alloc(10 * MB);
  for (let n = 0; n < bytes / piece.length; n += 1) {
    for (let at = 0; at < piece.length; at += 8) piece.writeDoubleLE(Math.sin(n * 1e6 + at), at);
    writeFileSync(join(root, `f${n}`), piece);
  }
  const snapshots = openSnapshots({ folder: join(folder, "store"), bwrapPath: "bwrap" });
  const { id, tookMs, storedBytes } = await snapshots.take(treeAt(root));
  const value = await timedMs(() => snapshots.grow(treeAt(join(folder, "fork")), id, { from: root }));
  const fromStore = await timedMs(() => snapshots.grow(treeAt(join(folder, "from-store")), id));
  const copy = await timedMs(async () => void spawnSync("cp", ["-a", "--reflink=auto", root, join(folder, "copy")]));
  await snapshots.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    name: "snapshots.fork",
    what: `a fork of a tree of ${bytes / MB} MB, checked and flushed`,
    unit: "ms",
    value,
    baseline: { what: "cp -a --reflink=auto, not flushed", value: copy },
    aim: null,
    details: { firstSnapshotMs: tookMs, storedMb: storedBytes / MB, outOfTheStoreMs: Math.round(fromStore) },
  };
}

function plant(root: string, files: number): void {
  for (let n = 0; n < files; n += 1) {
    const folder = join(root, `d${Math.floor(n / FOLDER_FILES / 50)}`, `e${Math.floor(n / FOLDER_FILES) % 50}`);
    if (n % FOLDER_FILES === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${n}.ts`), `export const line${n} = ${n};\n`.repeat(FILE_BYTES / 30));
  }
}

function change(root: string, round: number): void {
  for (let n = 0; n < CHANGED; n += 1)
    writeFileSync(join(root, "d0", `e${n % 5}`, `f${n}.ts`), `// ${round} ${Math.random()}\n`);
}

function treeAt(root: string): TreeSpec {
  return { root, leaveOut: [], hidden: [], filesMax: 1_000_000, bytesMax: 1e12 };
}
