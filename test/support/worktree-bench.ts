import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createWorktrees, type Worktree, type Worktrees } from "../../src/host/worktrees/worktrees.ts";

/** A person's repository, made with the real git, and a folder for worktrees beside it. */
export interface Bench extends Disposable {
  readonly directory: string;
  readonly repo: string;
  readonly yard: Worktrees;
  /** Runs git like a person or an agent; returns its output. */
  readonly git: (cwd: string, ...args: readonly string[]) => string;
  readonly write: (path: string, text: string) => void;
  readonly worktree: (wish?: {
    readonly cwd?: string;
    readonly base?: string;
    readonly name?: string;
  }) => Promise<Worktree>;
  /** A worktree made from another one, as for a fork. */
  readonly fork: (from: string) => Promise<Worktree>;
  /**
   * Everything of a repository that must not change: status, configuration, refs, reflogs, index and every byte except
   * objects.
   */
  readonly portrait: (repo?: string) => string;
}

export interface BenchOptions {
  readonly init?: readonly string[];
  readonly commit?: boolean;
  readonly carry?: readonly string[];
  readonly carryBytesMax?: number;
  /** `worktree.alternates` */
  readonly borrows?: boolean;
  readonly gitTimeoutMs?: number;
  /** `worktree.filesMax`, `worktree.bytesMax` */
  readonly bounds?: { readonly filesMax: number; readonly bytesMax: number };
}

export function setUpBench({
  init = [],
  commit = true,
  carry = [".env*", "node_modules"],
  carryBytesMax = 1e9,
  borrows = false,
  gitTimeoutMs = 20_000,
  bounds = { filesMax: 1_000_000, bytesMax: 1e10 },
}: BenchOptions = {}): Bench {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "trees-")));
  const person = join(directory, "person");
  const repo = join(directory, "repo");
  mkdirSync(person);
  writeFileSync(
    join(person, ".gitconfig"),
    '[user]\n\tname = Ada Person\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
  );
  const env = { PATH: process.env["PATH"] ?? "", HOME: person, LC_ALL: "C" };
  const git: Bench["git"] = (cwd, ...args) =>
    execFileSync("git", args, {
      cwd,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 20_000,
      maxBuffer: 1e9,
    }).trimEnd();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  mkdirSync(repo);
  git(repo, "init", "--quiet", ...init);
  if (commit) {
    write(join(repo, "README.md"), "hello\n");
    write(join(repo, "src", "main.ts"), "export const one = 1;\n");
    write(join(repo, ".gitignore"), ".env*\nnode_modules/\nignored/\n");
    git(repo, "add", "--all");
    git(repo, "commit", "--quiet", "-m", "first");
  }
  const yard = createWorktrees({
    folder: join(directory, "home", "worktrees"),
    scratch: join(directory, "home", "tmp", "git"),
    stores: join(directory, "home", "worktree-objects"),
    environment: env,
    carry: () => ({ patterns: carry, bytesMax: carryBytesMax }),
    bounds: () => bounds,
    borrows: () => borrows,
    gitTimeoutMs,
  });
  const portrait: Bench["portrait"] = (of = repo) => {
    const isBare = git(of, "rev-parse", "--is-bare-repository") === "true";
    const told = [
      ["status", "--porcelain"],
      ["fsck", "--full"],
      ["config", "-l"],
      ["for-each-ref"],
      ["reflog", "show", "--all"],
      ["worktree", "list"],
      ["count-objects", "-v"],
    ];
    const lines = told
      .filter(([name]) => !isBare || name !== "status")
      .map((args) => git(of, "--no-optional-locks", ...args));
    const gitDir = git(of, "rev-parse", "--absolute-git-dir");
    const files = execFileSync("find", [gitDir, "-type", "f", "-not", "-path", `${gitDir}/objects/*`], {
      encoding: "utf8",
    })
      .trim()
      .split("\n")
      .sort();
    return [...lines, ...files.map((path) => `${path} ${readFileSync(path).toString("base64")}`)].join("\n");
  };
  return {
    directory,
    repo,
    yard,
    git,
    write,
    portrait,
    worktree: async ({ cwd = repo, base, name = "brave-otter-3f" } = {}) =>
      yard.create(await yard.plan({ id: randomUUID(), cwd, name, base }), "2026-11-15T00:00:00.000Z"),
    fork: async (from) =>
      yard.create(await yard.planFork({ id: randomUUID(), from, name: "forked" }), "2026-11-15T00:00:00.000Z"),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
