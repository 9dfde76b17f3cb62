import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLeases, createRefs, type LeasedRepository, type Leases, type Refs } from "../../src/governance/index.ts";
import { type Clock, createGitRunner, findRepository, systemClock } from "../../src/host/index.ts";

/** Clones of one bare repository, each with leases of its own, as on several machines. */
export interface LeaseClones extends Disposable {
  readonly directory: string;
  readonly origin: string;
  readonly clock: SetClock;
  /** Runs git like a person. */
  readonly git: (cwd: string, ...args: readonly string[]) => string;
  readonly clone: (name: string, options?: CloneOptions) => Promise<LeaseClone>;
  /** Leases in a repository that exists, such as a worktree. */
  readonly open: (path: string, options?: CloneOptions) => Promise<LeaseClone>;
}

export interface LeaseClone {
  readonly path: string;
  readonly governed: LeasedRepository;
  readonly leases: Leases;
  readonly refs: Refs;
}

export interface CloneOptions {
  /** Null: the clone keeps its leases to itself. */
  readonly remote?: string | null;
  readonly clock?: Clock;
  readonly remoteTimeoutMs?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly clone?: readonly string[];
}

/** A clock that a test sets. Its timers are real. */
export interface SetClock extends Clock {
  readonly pass: (ms: number) => void;
}

function setClock(startMs = Date.UTC(2026, 0, 1)): SetClock {
  const real = systemClock();
  let nowMs = startMs;
  return {
    ...real,
    nowMs: () => nowMs,
    steadyMs: () => nowMs,
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

export function setUpClones(init: readonly string[] = []): LeaseClones {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "leases-")));
  const [origin, person] = [join(directory, "origin.git"), join(directory, "person")];
  mkdirSync(person);
  writeFileSync(
    join(person, ".gitconfig"),
    "[user]\n\tname = Ada Person\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n",
  );
  const env = { PATH: process.env["PATH"] ?? "", HOME: person, LC_ALL: "C" };
  const git: LeaseClones["git"] = (cwd, ...args) =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
  git(directory, "init", "-q", "--bare", ...init, origin);
  const first = join(directory, "first");
  git(directory, "init", "-q", ...init, first);
  git(first, "remote", "add", "origin", origin);
  git(first, "commit", "-q", "--allow-empty", "-m", "first");
  git(first, "push", "-q", "origin", "main");
  const clock = setClock();
  const open: LeaseClones["open"] = async (path, options = {}) => {
    const runner = createGitRunner(env);
    const repository = await findRepository(runner, path);
    if (repository === null) throw new Error(`${path} is no repository`);
    const { remote = "origin", clock: own = clock, remoteTimeoutMs, environment = {} } = options;
    const timeout = remoteTimeoutMs === undefined ? {} : { remoteTimeoutMs };
    const refs = createRefs({ git: runner, clock: own, environment: { ...env, ...environment }, ...timeout });
    const leases = createLeases({ refs, clock: own, host: "here", remoteOf: async () => remote });
    return { path, governed: { repository, branch: "main" }, leases, refs };
  };
  return {
    directory,
    origin,
    clock,
    git,
    open,
    clone: (name, options = {}) => {
      const path = join(directory, name);
      git(directory, "clone", "-q", ...(options.clone ?? []), `file://${origin}`, path);
      return open(path, options);
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
