import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiClient } from "./api-client.ts";
import { startDaemon } from "./daemon.ts";
import { type Benchmark, type Figure, interleave, median, timedMs } from "./harness.ts";

const FILES = 5000;
const QUICK_FILES = 500;
const FILES_PER_FOLDER = 100;
const CHANGED = 20;
/** Two lengths of checks: what a landing adds to them is about the same, so the share says little without the length. */
const CHECKS = [
  { name: "landing.checked", seconds: 20, rounds: 3, aim: { ratioAtMost: 1.1 } },
  { name: "landing.checked-briefly", seconds: 5, rounds: 3, aim: null },
] as const;
const QUICK_SECONDS = 2;
const LANDED_MAX_MS = 120_000;

/** A session's work onto a checked-out branch, through the queue of a daemon. Against git's merge and the same check. */
export const landingBenchmark: Benchmark = {
  name: "landing",
  run: async ({ product, quick, scratch }) => {
    const files = quick ? QUICK_FILES : FILES;
    const repo = join(scratch, "landing-repository");
    plant(repo, files);
    await using daemon = await startDaemon(await product(), join(scratch, "landing-home"));
    const { api } = daemon;
    const without: number[] = [];
    const ours = async (seconds: number): Promise<number> => {
      const id = await worked(api, repo);
      const tookMs = await timedMs(() => landed(api, id, [["sleep", String(seconds)]]));
      const again = await worked(api, repo);
      without.push(await timedMs(() => landed(api, again, [])));
      return tookMs;
    };
    const byGit = async (seconds: number): Promise<number> => {
      made += 1;
      const branch = `by-hand-${made}`;
      const tree = join(scratch, branch);
      git(repo, "worktree", "add", "--quiet", "-b", branch, tree);
      change(tree);
      git(tree, "add", "--all");
      git(tree, ...PERSON, "commit", "--quiet", "-m", branch);
      const tookMs = await timedMs(async () => {
        git(repo, ...PERSON, "merge", "--quiet", "--no-ff", "-m", branch, branch);
        execFileSync("sleep", [String(seconds)], { cwd: repo });
      });
      git(repo, "worktree", "remove", "--force", tree);
      return tookMs;
    };
    const figures: Figure[] = [];
    for (const { name, seconds, rounds, aim } of CHECKS) {
      const [length, times] = quick ? [QUICK_SECONDS, 1] : [seconds, rounds];
      const taken = await interleave(times, { ours: () => ours(length), git: () => byGit(length) });
      const [value, byHand] = [median(taken.ours), median(taken.git)];
      const details = { rounds: times, changed: CHANGED, checkMs: length * 1000, addedMs: Math.round(value - byHand) };
      figures.push({
        name,
        what: `${CHANGED} files of a session landed on a checked-out branch with a check of ${length} s, ${files} files`,
        unit: "ms",
        value,
        baseline: { what: "`git merge` and the same check", value: byHand },
        aim,
        details: { ...details, withoutCheckMs: median(without) },
      });
    }
    return figures;
  },
};

const PERSON = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0"] as const;
let made = 0;

/** A session with a worktree in which files changed. */
async function worked(api: ApiClient, repo: string): Promise<string> {
  const started = await api.call("POST", "/sessions/agent", { adapter: "demo", cwd: repo, worktree: true });
  const { id, cwd } = started;
  made += 1;
  change(String(cwd));
  return String(id);
}

async function landed(api: ApiClient, id: string, checks: readonly (readonly string[])[]): Promise<void> {
  const answer = await api.call("POST", `/sessions/${id}/land`, { checks, waitMs: LANDED_MAX_MS });
  if (answer["state"] !== "landed") throw new Error(`the landing is ${JSON.stringify(answer)}`);
}

function change(tree: string): void {
  const folder = join(tree, `made-${made}`);
  mkdirSync(folder);
  for (let n = 0; n < CHANGED / 2; n += 1) {
    writeFileSync(join(folder, `${n}.ts`), `export const made = ${made};\n`);
    writeFileSync(
      join(tree, `folder-${n % (QUICK_FILES / FILES_PER_FOLDER)}`, `${n}.ts`),
      `export const value = ${made};\n`,
    );
  }
}

function plant(repo: string, files: number): void {
  for (let n = 0; n < files; n += 1) {
    const folder = join(repo, `folder-${Math.floor(n / FILES_PER_FOLDER)}`);
    if (n % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${n % FILES_PER_FOLDER}.ts`), `export const value${n} = ${n};\n`.repeat(5));
  }
  git(repo, "init", "--quiet");
  git(repo, "add", "--all");
  git(repo, ...PERSON, "commit", "--quiet", "-m", "first");
  git(repo, "repack", "-adq");
}

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync("git", args, { cwd, stdio: "ignore" });
}
