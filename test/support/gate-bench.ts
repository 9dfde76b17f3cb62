import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LANDING_DEFAULTS } from "../../src/contract/index.ts";
import type { LandingOrder } from "../../src/domains/index.ts";
import { createLandingGit, findBubblewrap, type LandingRepository, systemClock } from "../../src/host/index.ts";
import { createProcessHost } from "../../src/host/processes/process-host.ts";
import { newSessionState } from "../../src/kernel/session/state.ts";
import { createLandingJudge } from "../../src/services/index.ts";
import type { Judged, LandingJudge } from "../../src/services/landing/judge.ts";
import type { LandingSettings } from "../../src/services/landing/landing-settings.ts";
import { newRedactor } from "./redactor.ts";
import { type Bench, setUpBench } from "./worktree-bench.ts";

/** A value of the vault. */
export const SECRET = `fake-${randomBytes(16).toString("hex")}`;

/** The judge of landings on a person's repository; an agent's commits are a branch of it. */
export interface GateBench extends AsyncDisposable {
  readonly bench: Bench;
  /** Where the agent works, on the branch `work`. */
  readonly work: string;
  readonly judge: LandingJudge;
  readonly settings: (more: Partial<LandingSettings>) => void;
  readonly opened: () => Promise<LandingRepository>;
  /** The agent's commits as a landing onto `main`. */
  readonly landing: (opened: LandingRepository, more?: Partial<LandingOrder>) => Promise<Judged>;
}

export async function setUpGate(bwrap: "here" | "none" = "here"): Promise<GateBench> {
  const bench = setUpBench();
  const home = join(bench.directory, "home");
  mkdirSync(join(home, "doors"), { recursive: true });
  const found = bwrap === "none" ? null : await findBubblewrap(process.env["PATH"] ?? "");
  const bwrapPath = found !== null && "path" in found ? found.path : null;
  const host = createProcessHost({ home, bwrapPath, closedRoots: [], copiesEtc: false });
  const environment = { PATH: process.env["PATH"] ?? "", HOME: join(bench.directory, "person") };
  const git = createLandingGit({
    environment,
    scratch: join(home, "tmp", "landings"),
    carry: () => ({ patterns: [], bytesMax: 1e9 }),
    bytesMax: () => 1e9,
  });
  const redactor = newRedactor();
  redactor.learn([{ value: SECRET }]);
  let settings: LandingSettings = LANDING_DEFAULTS;
  const judge = createLandingJudge({
    ...{ host, environment, home, instance: `gate-${process.pid}`, doors: join(home, "doors"), port: () => 1 },
    sandboxLimits: () => ({ memoryMb: null, pidsMax: 256, cpus: null }),
    processLimits: () => ({ memoryMb: null, openFilesMax: null }),
    ...{ settings: () => settings, redactor, clock: systemClock(), newId: () => "a" },
    committer: { session: () => Promise.reject(new Error("nothing is asked here")) },
  });
  const work = join(bench.directory, "work");
  bench.git(bench.repo, "worktree", "add", "-q", "-b", "work", work);
  const repository = { root: bench.repo, gitDir: join(bench.repo, ".git") };
  return {
    ...{ bench, work, judge },
    settings: (more) => {
      settings = { ...LANDING_DEFAULTS, ...more };
    },
    opened: () => git.open(repository, []),
    landing: async (opened, more = {}) => {
      const head = bench.git(work, "rev-parse", "HEAD");
      const tree = bench.git(work, "rev-parse", "HEAD^{tree}");
      const order: LandingOrder = {
        ...{ sessionId: "s", turnId: "t", worktreeId: "w", repository, into: "main", how: "merge", message: null },
        ...{ checks: [], pullRequest: null, captured: { head, tree }, attempt: 1, attemptsMax: 3 },
        ...more,
      };
      const tip = bench.git(bench.repo, "rev-parse", "main");
      const made = await opened.make({ how: order.how, tip, head, tree, message: "Land it\n", trailers: [] });
      if (!("commit" in made)) throw new Error(`nothing was made: ${JSON.stringify(made)}`);
      const captured = {
        head,
        tree,
        userBase: null,
        sharedObjects: [],
        nested: [],
        omitted: [],
        unmerged: [],
        repository,
        fault: null,
      };
      return { opened, order, captured, tip, made, state: newSessionState("s") };
    },
    [Symbol.asyncDispose]: async () => {
      await host.stopAll({ graceMs: 0 });
      bench[Symbol.dispose]();
    },
  };
}
