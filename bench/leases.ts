import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createLeases, createRefs, type LeasedRepository, type Leases } from "../src/governance/index.ts";
import { createGitRunner, findRepository, systemClock } from "../src/host/index.ts";
import { type Benchmark, type Figure, interleave, median, percentile, timedMs } from "./harness.ts";

const ROUNDS = 40;
const QUICK_ROUNDS = 8;
const CHECKS = 2000;

/** Leases of tickets across clones and in one, against what git takes for one ref. */
export const leasesBenchmark: Benchmark = {
  name: "leases",
  run: async ({ quick, scratch }) => {
    const environment = { PATH: process.env["PATH"] ?? "", HOME: scratch, LC_ALL: "C" };
    const git = (cwd: string, ...args: readonly string[]): string =>
      execFileSync("git", args, {
        cwd,
        env: environment,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    const origin = join(scratch, "origin.git");
    const repo = join(scratch, "clone");
    mkdirSync(scratch, { recursive: true });
    git(scratch, "init", "-q", "--bare", origin);
    git(scratch, "clone", "-q", `file://${origin}`, repo);
    const author = ["-c", "user.name=a", "-c", "user.email=a@b"];
    git(repo, ...author, "commit", "-q", "--allow-empty", "-m", "first");
    const runner = createGitRunner(environment);
    const repository = await findRepository(runner, repo);
    if (repository === null) throw new Error("the repository is gone");
    const governed: LeasedRepository = { repository, branch: "main" };
    const clock = systemClock();
    const open = (remote: string | null): Leases =>
      createLeases({
        refs: createRefs({ git: runner, clock, environment }),
        clock,
        host: "here",
        remoteOf: async () => remote,
      });
    const [shared, alone] = [open("origin"), open(null)];
    let made = 0;
    const claim = (leases: Leases) => async (): Promise<void> => {
      made += 1;
      await leases.claim(governed, `TKT-${made}`, { owner: "agent:a" });
    };
    // What a lease needs at least: a commit that says who, and its push.
    const bare = async (): Promise<void> => {
      made += 1;
      const spec = `${commits.pop()}:refs/bare/${made}`;
      await promisify(execFile)("git", ["push", "-q", "origin", spec], { cwd: repo, env: environment });
    };
    const rounds = quick ? QUICK_ROUNDS : ROUNDS;
    const tree = git(repo, "rev-parse", "HEAD^{tree}");
    const commits = Array.from({ length: rounds + 1 }, (_, at) =>
      git(repo, ...author, "commit-tree", tree, "-m", `${at}`),
    );
    const beat = async (): Promise<void> =>
      void (await shared.heartbeat(governed, "TKT-1", { owner: "agent:a", fence: 1 }));
    await claim(shared)();
    const across = await interleave(rounds, {
      claims: () => timedMs(claim(shared)),
      beats: () => timedMs(beat),
      git: () => timedMs(bare),
    });
    const head = git(repo, "rev-parse", "HEAD");
    const moveRef = async (): Promise<void> => {
      made += 1;
      git(repo, "update-ref", `refs/bare/${made}`, head);
    };
    const within = await interleave(rounds, {
      ours: () => timedMs(claim(alone)),
      git: () => timedMs(moveRef),
    });
    git(repo, "pack-refs", "--all");
    const packed = join(repository.commonDir, "packed-refs");
    const checks = await interleave(quick ? CHECKS / 10 : CHECKS, {
      ours: () => timedMs(() => alone.check(governed, "TKT-1", 1)),
      read: () => timedMs(() => Promise.all([readFile(packed), readFile(packed)])),
    });
    return [
      figure("leases.claim", "a ticket claimed, seen by all clones", across.claims, {
        baseline: { what: "`git push` of one ref", value: median(across.git) },
        aim: { ratioAtMost: 1.5 },
        details: { rounds },
      }),
      figure("leases.heartbeat", "a lease beaten, seen by all clones", across.beats, {
        baseline: { what: "`git push` of one ref", value: median(across.git) },
        aim: { ratioAtMost: 1.5 },
        details: { rounds },
      }),
      figure("leases.claimHere", "a ticket claimed in one clone", within.ours, {
        baseline: { what: "`git update-ref`", value: median(within.git) },
        details: { rounds },
      }),
      figure("leases.check", "a fence checked before a write", checks.ours, {
        baseline: { what: "two small files read", value: median(checks.read) },
        aim: { valueAtMost: 1 },
        details: { checks: checks.ours.length, p99: percentile(checks.ours, 99) },
      }),
    ];
  },
};

function figure(
  name: string,
  what: string,
  taken: readonly number[],
  more: Pick<Figure, "baseline" | "details"> & { readonly aim?: Figure["aim"] },
): Figure {
  return { name, what, unit: "ms", value: median(taken), aim: null, ...more };
}
