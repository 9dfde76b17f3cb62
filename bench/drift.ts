import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkLimits } from "../src/domains/index.ts";
import { measureCheckout, measureWorktree } from "../src/governance/index.ts";
import { createGitRunner, createWorktrees } from "../src/host/index.ts";
import { type Benchmark, type Figure, interleave, median, timedMs } from "./harness.ts";

const FILES = 50_000;
const QUICK_FILES = 5_000;
const ROUNDS = 11;
const FILES_PER_FOLDER = 100;
const CHANGED = 20;
/** After this an index counts as newer than the files that were checked out with it. */
const SETTLE_MS = 62_000;
const LIMITS: WorkLimits = {
  scope: { allow: ["folder-1/**", "src/**"], deny: ["**/*.key"] },
  fileBudget: { files: 12, lines: 400 },
  boundary: "not infra/**",
};

/** Live drift of a large repository: uncommitted, committed beside a branch that moved, and in a plain clone. */
export const driftBenchmark: Benchmark = {
  name: "drift",
  run: async ({ quick, scratch }) => {
    const files = quick ? QUICK_FILES : FILES;
    const repo = join(scratch, "drift-repository");
    plant(repo, files);
    const environment = { PATH: process.env["PATH"], HOME: scratch };
    const yard = createWorktrees({
      ...{ folder: join(scratch, "drift-trees"), scratch: join(scratch, "views"), stores: join(scratch, "objects") },
      environment,
      carry: () => ({ patterns: [], bytesMax: 0 }),
      bounds: () => ({ filesMax: 1_000_000, bytesMax: 1e12 }),
    });
    const [fresh, committed] = await Promise.all(
      ["fresh", "committed"].map(async (id) => yard.create(await yard.plan({ id, cwd: repo, name: id }), "now")),
    );
    if (fresh === undefined || committed === undefined) throw new Error("no worktree");
    for (const path of [fresh.path, committed.path]) change(path);
    commit(committed.path, "work");
    change(committed.path, "again");
    for (let n = 0; n < CHANGED; n += 1) {
      writeFileSync(join(repo, `others-${n}.ts`), `export const other = ${n};\n`);
      commit(repo, `others ${n}`);
    }
    change(repo);
    const tip = execFileSync("git", ["rev-parse", "HEAD"], { cwd: repo, encoding: "utf8" }).trim();
    if (!quick) await sleep(SETTLE_MS);
    const runner = createGitRunner(environment);
    const inTree = (id: string) => timedMs(async () => void (await measureWorktree(yard, { id, tip }, LIMITS)));
    const place = { git: runner, scratch: join(scratch, "drift-views"), root: repo, tip };
    const measurements = {
      fresh: () => inTree("fresh"),
      committed: () => inTree("committed"),
      clone: () => timedMs(async () => void (await measureCheckout(place, LIMITS))),
      status: () => timedMs(async () => git(fresh.path, "status", "--porcelain")),
    };
    // The first look at a worktree compares what git cannot tell by times, and settles its index.
    for (const measure of Object.values(measurements)) await measure();
    const rounds = quick ? 3 : ROUNDS;
    const taken = await interleave(rounds, measurements);
    const figure = (name: string, what: string, value: readonly number[]): Figure => ({
      ...{ name, what: `${what}, ${CHANGED} changed of ${files} files`, unit: "ms", value: median(value) },
      baseline: { what: "`git status`", value: median(taken.status) },
      aim: { valueAtMost: 300 },
      details: { rounds, worst: Math.round(Math.max(...value)) },
    });
    return [
      figure("drift.live", "live drift of a session, nothing committed", taken.fresh),
      figure("drift.committed", "live drift of a session with commits, beside a branch that moved", taken.committed),
      figure("drift.clone", "live drift of a clone without a daemon", taken.clone),
    ];
  },
};

function change(root: string, text = "changed"): void {
  for (let n = 0; n < CHANGED / 2; n += 1) {
    writeFileSync(join(root, `folder-${n}`, `${n * FILES_PER_FOLDER}.ts`), `export const ${text} = ${n};\n`);
    mkdirSync(join(root, "src", text), { recursive: true });
    writeFileSync(join(root, "src", text, `${n}.ts`), `export const fresh = ${n};\n`);
  }
}

function plant(repo: string, files: number): void {
  for (let n = 0; n < files; n += 1) {
    const folder = join(repo, `folder-${Math.floor(n / FILES_PER_FOLDER)}`);
    if (n % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${n}.ts`), `export const value${n} = ${n};\n`.repeat(5));
  }
  writeFileSync(join(repo, ".gitignore"), "node_modules/\n.env*\n");
  git(repo, "init", "--quiet", "--initial-branch=main");
  git(repo, "add", "--all");
  commit(repo, "first");
  git(repo, "repack", "-adq");
}

function commit(cwd: string, message: string): void {
  git(cwd, "add", "--all");
  git(cwd, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0", "commit", "--quiet", "-m", message);
}

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync("git", args, { cwd, stdio: "ignore" });
}
