import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createWorktrees, openRadar, type PairReport } from "../src/host/index.ts";
import { type Benchmark, median, timedMs } from "./harness.ts";

const FILES = 50_000;
const QUICK_FILES = 5_000;
const TREES = 20;
const FILES_PER_FOLDER = 50;
const ROUNDS = 8;
const SETTLE_MS = 60_000;
const WORK_MS = 30_000;
const LOOK_EVERY_MS = 10_000;
const TICKS_PER_S = 100;

/** Twenty worktrees of a large repository: how soon a collision is told, and what share of a core the radar takes. */
export const radarBenchmark: Benchmark = {
  name: "radar",
  run: async ({ quick, scratch }) => {
    const files = quick ? QUICK_FILES : FILES;
    const repo = join(scratch, "repository");
    plant(repo, files);
    const environment = { PATH: process.env["PATH"], HOME: scratch };
    const folder = join(scratch, "worktrees");
    const yard = createWorktrees({
      ...{ folder, scratch: join(scratch, "views"), stores: join(scratch, "objects"), environment },
      carry: () => ({ patterns: [], bytesMax: 0 }),
      bounds: () => ({ filesMax: 1_000_000, bytesMax: 1e12 }),
    });
    const ids = Array.from({ length: TREES }, (_, n) => `tree-${n}`);
    for (const id of ids) await yard.create(await yard.plan({ id, cwd: repo, name: id }), "now");
    const heard: PairReport[] = [];
    const onReport = (report: { readonly what: string }) => {
      if (report.what === "pair") heard.push(report as PairReport);
    };
    const trouble: string[] = [];
    const radar = openRadar({
      ...{ environment, worktrees: folder, scratch: join(scratch, "radar"), onReport },
      onTrouble: (_tree, reason) => void trouble.push(reason),
    });
    radar.watch(ids, [], { lookEveryMs: LOOK_EVERY_MS, foldersMax: 100_000, fileBytesMax: 4_194_304 });
    await sleep(quick ? SETTLE_MS / 6 : SETTLE_MS);
    const place = (tree: number, n: number) =>
      join(folder, `tree-${tree}`, "tree", `folder-${Math.floor(n / FILES_PER_FOLDER)}`, `${n}.ts`);
    const taken: number[] = [];
    const rounds = quick ? 3 : ROUNDS;
    for (let round = 0; round < rounds; round += 1) {
      const [a, b] = [2 * round, 2 * round + 1];
      writeFileSync(place(a, round), "mine\n");
      await sleep(1000);
      heard.length = 0;
      const startMs = performance.now();
      writeFileSync(place(b, round), "yours\n");
      while (!heard.some((one) => one.files.length > 0)) {
        if (performance.now() - startMs > 60_000) throw new Error(`no collision was told: ${trouble.join("; ")}`);
        await sleep(5);
      }
      taken.push(performance.now() - startMs);
    }
    // Every worktree is written to, twice a second, each pair of neighbours in one file.
    const before = usedMs();
    const startMs = performance.now();
    for (let n = 0; performance.now() - startMs < (quick ? WORK_MS / 3 : WORK_MS); n += 1) {
      for (let tree = 0; tree < TREES; tree += 1)
        writeFileSync(place(tree, 100 + Math.floor(tree / 2)), `by ${tree}, ${n}\n`);
      await sleep(500);
    }
    const share = (usedMs() - before) / (performance.now() - startMs);
    await radar.close();
    const status = await timedMs(async () => git(join(folder, "tree-0", "tree"), "status", "--porcelain"));
    const what = `${TREES} worktrees of ${files} files`;
    return [
      {
        ...{ name: "radar.latency", what: `from a write to the report of its collision, ${what}`, unit: "ms" },
        value: median(taken),
        baseline: { what: "`git status` of one of them", value: status },
        aim: { valueAtMost: 2000 },
        details: { rounds, worst: Math.round(Math.max(...taken)) },
      },
      {
        ...{ name: "radar.core", what: `time of a core a second while all are written to, ${what}`, unit: "ms" },
        value: share * 1000,
        baseline: { what: "`git status` of all, every two seconds", value: (status * TREES) / 2 },
        aim: { valueAtMost: 100 },
        details: { trouble: trouble.length },
      },
    ];
  },
};

/** Of this process with its threads, and of the programs that it ran. */
function usedMs(): number {
  const text = readFileSync("/proc/self/stat", "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  return (ticks * 1000) / TICKS_PER_S;
}

function plant(repo: string, files: number): void {
  for (let n = 0; n < files; n += 1) {
    const folder = join(repo, `folder-${Math.floor(n / FILES_PER_FOLDER)}`);
    if (n % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${n}.ts`), `export const value${n} = ${n};\n`.repeat(5));
  }
  git(repo, "init", "--quiet", "--initial-branch=main");
  git(repo, "add", "--all");
  git(repo, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0", "commit", "--quiet", "-m", "first");
  git(repo, "repack", "-adq");
}

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync("git", args, { cwd, stdio: "ignore" });
}
