import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Bench } from "../../support/worktree-bench.ts";

/** The agent in its worktree, with everything that its own git dir lets it do. */
export interface Agent {
  readonly cwd: string;
  readonly repo: string;
  readonly git: (...args: readonly string[]) => string;
  /** With bytes on standard input. */
  readonly plumb: (input: string | Uint8Array, ...args: readonly string[]) => string;
  readonly write: (path: string, text: string | Uint8Array) => void;
  readonly link: (target: string, path: string) => void;
  /** Commits everything; ignored files too. */
  readonly commit: (message?: string) => string;
  /** Commits a tree with one more entry, which git's porcelain would refuse; returns the commit. */
  readonly entry: (mode: string, name: string | Uint8Array, id: string) => string;
}

/** A copy of the person's repository, whose person fetched and merged the worktree by hand. */
export interface Victim {
  readonly root: string;
  readonly git: (...args: readonly string[]) => string;
  /** Every path that came, also with commits that were reverted. */
  readonly brought: () => string;
  readonly has: (path: string) => boolean;
}

export interface Attack {
  readonly name: string;
  /** Default: none, so every path may be changed. */
  readonly scope?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  readonly plant: (agent: Agent) => void;
  /** Whether it works by hand. */
  readonly works: (victim: Victim, agent: Agent) => boolean;
  readonly wish?: Readonly<Record<string, unknown>>;
  /** The rule that refuses it, and something that the finding says; or the code of the call that is not even queued. */
  readonly refused: readonly [rule: string, says: string | RegExp] | { readonly code: string };
}

const SHELL = { encoding: "utf8" as const, maxBuffer: 1e9, timeout: 20_000, stdio: "pipe" as const };

/** Only git's usual variables: what the agent configures in its worktree counts. */
function environmentOf(home: string, name: string): NodeJS.ProcessEnv {
  const who = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: `${name}@example.org` };
  const same = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: `${name}@example.org` };
  return { PATH: process.env["PATH"], HOME: home, LC_ALL: "C", ...who, ...same };
}

export function agentIn(bench: Bench, cwd: string): Agent {
  const env = environmentOf(join(bench.directory, "person"), "agent");
  const plumb: Agent["plumb"] = (input, ...args) => execFileSync("git", args, { ...SHELL, cwd, env, input }).trimEnd();
  const git: Agent["git"] = (...args) =>
    plumb("", "-c", "core.protectNTFS=false", "-c", "core.protectHFS=false", ...args);
  const at = (path: string): string => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    return join(cwd, path);
  };
  return {
    ...{ cwd, repo: bench.repo, git, plumb },
    write: (path, text) => writeFileSync(at(path), text),
    link: (target, path) => symlinkSync(target, at(path)),
    commit: (message = "work") => {
      git("add", "--all", "--force");
      git("commit", "-q", "--allow-empty", "--no-verify", "-m", message);
      return git("rev-parse", "HEAD");
    },
    entry: (mode, name, id) => {
      const whole = execFileSync("git", ["cat-file", "tree", "HEAD^{tree}"], { cwd, env });
      const raw = Buffer.concat([
        whole,
        Buffer.from(`${mode} `),
        Buffer.from(name),
        Buffer.of(0),
        Buffer.from(id, "hex"),
      ]);
      const tree = plumb(raw, "hash-object", "-t", "tree", "-w", "--stdin", "--literally");
      const commit = git("commit-tree", tree, "-p", "HEAD", "-m", "work");
      git("update-ref", "HEAD", commit);
      return commit;
    },
  };
}

/** As a person who trusts the worktree does it: `git fetch`, then `git merge`. */
export function byHand(bench: Bench, agent: Agent, at: string): Victim {
  const root = join(bench.directory, at);
  cpSync(bench.repo, root, { recursive: true, verbatimSymlinks: true });
  const env = environmentOf(join(bench.directory, "person"), "victim");
  const loose = ["-c", "core.protectNTFS=false", "-c", "core.protectHFS=false", "-c", "fetch.fsckObjects=false"];
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...loose, ...args], { ...SHELL, cwd: root, env }).trimEnd();
  const attempt = (...args: readonly string[]): string => {
    try {
      return git(...args);
    } catch {
      return "";
    }
  };
  attempt("fetch", "-q", "--no-tags", "--upload-pack", "git -c safe.directory='*' upload-pack", agent.cwd, "HEAD");
  attempt("merge", "-q", "--no-edit", "--allow-unrelated-histories", "FETCH_HEAD");
  return {
    ...{ root, git },
    brought: () => {
      const told = attempt("log", "--format=commit %H", "--raw", "-r", "-m", "--root", "-z", "HEAD@{1}..FETCH_HEAD");
      return `${told}\0${attempt("ls-tree", "-r", "-z", "FETCH_HEAD")}`;
    },
    has: (path) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined,
  };
}

/** Every file below a folder, byte by byte, with its mode. */
export function picture(root: string): string {
  const lines: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const { mode } = lstatSync(join(root, path));
      if (entry.isDirectory()) walk(path);
      else if (entry.isSymbolicLink()) lines.push(`${path} -> ${readlinkSync(join(root, path))}`);
      else if (entry.isFile())
        lines.push(
          `${path} ${mode.toString(8)} ${createHash("sha256")
            .update(readFileSync(join(root, path)))
            .digest("hex")}`,
        );
      else lines.push(`${path} is ${mode.toString(8)}`);
    }
  };
  walk("");
  return lines.sort().join("\n");
}
