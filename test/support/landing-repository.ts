import { execFileSync } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CapturedWork } from "../../src/host/landing/capture-work.ts";
import type { Captured, LandingRepository } from "../../src/host/landing/landing-git.ts";
import { createLandingGit } from "../../src/host/landing/landing-git.ts";
import type { CommitOrder, Made } from "../../src/host/landing/make-commits.ts";
import type { Moved } from "../../src/host/landing/move/checkout-move.ts";
import { type Bench, type BenchOptions, setUpBench } from "./worktree-bench.ts";

export interface Capture extends Captured {
  readonly work: CapturedWork;
}

type Order = Partial<Pick<CommitOrder, "how" | "message" | "trailers">>;

/** A person's repository, a worktree of an agent, and what brings its work home. */
export interface LandingBench extends Bench {
  readonly person: string;
  readonly capture: (id: string) => Promise<Capture>;
  readonly open: (captures?: readonly Capture[], environment?: Record<string, string>) => Promise<LandingRepository>;
  readonly make: (
    landing: LandingRepository,
    capture: Capture,
    order?: Order & { readonly into?: string },
  ) => Promise<Made>;
  /** Captures, makes the commits and moves the branch. */
  readonly land: (
    id: string,
    order?: Order & { readonly into?: string },
  ) => Promise<{ made: Made; moved: Moved | null }>;
  /** Makes the commits and moves the branch. */
  readonly landIn: (
    landing: LandingRepository,
    capture: Capture,
    order?: Order & { readonly into?: string },
  ) => Promise<{ made: Made; moved: Moved | null }>;
  readonly folder: (name: string) => string;
  /** Puts the repository back to a copy of it. */
  readonly restore: (copy: string) => void;
  readonly scratch: string;
}

export function setUpLanding(options: BenchOptions = {}): LandingBench {
  const bench = setUpBench(options);
  const { directory, repo, git, yard } = bench;
  const person = join(directory, "person");
  let made = 0;
  const folder = (name: string): string => {
    const path = join(directory, "home", "landings", name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const capture: LandingBench["capture"] = async (id) => {
    made += 1;
    const at = folder(`captured-${made}`);
    const work = await yard.capture(id, at);
    return { folder: at, sharedObjects: work.sharedObjects, work };
  };
  const open: LandingBench["open"] = (captures = [], environment = {}) => {
    const gitDir = git(repo, "rev-parse", "--path-format=absolute", "--git-common-dir");
    const isBare = git(repo, "rev-parse", "--is-bare-repository") === "true";
    return createLandingGit({
      environment: { PATH: process.env["PATH"] ?? "", HOME: person, LC_ALL: "C", ...environment },
      scratch: join(directory, "home", "tmp", "landing"),
      carry: () => ({ patterns: [".env*", "node_modules"], bytesMax: 1e9 }),
      bytesMax: () => 1e9,
    }).open({ root: isBare ? null : repo, gitDir }, captures);
  };
  const make: LandingBench["make"] = async (landing, { work }, { into = "main", ...order } = {}) => {
    const tip = await landing.tip(into);
    if (tip === null) throw new Error(`no branch ${into}`);
    const { head, tree } = work;
    const { how = "merge", trailers = [] } = order;
    const message = await landing.spell(order.message ?? "Land it", trailers);
    return landing.make({ how, message, trailers, tip, head, tree });
  };
  const landIn: LandingBench["landIn"] = async (landing, taken, { into = "main", ...order } = {}) => {
    const one = await make(landing, taken, { into, ...order });
    if (!("commit" in one)) return { made: one, moved: null };
    const from = (await landing.tip(into)) ?? "";
    made += 1;
    const moved = await landing.move({
      ...{ branch: into, from, to: one.commit, reason: "nomos: land", owner: `landing-${made}` },
      folder: folder(`landing-${made}`),
    });
    return { made: one, moved };
  };
  return {
    ...bench,
    person,
    folder,
    capture,
    open,
    make,
    scratch: join(directory, "home", "tmp", "landing"),
    restore: (copy) => {
      rmSync(repo, { recursive: true, force: true });
      copyTree(copy, repo);
    },
    landIn,
    land: async (id, order) => {
      const taken = await capture(id);
      if (taken.work.fault !== null) throw new Error(taken.work.fault);
      await using landing = await open([taken]);
      return await landIn(landing, taken, order);
    },
  };
}

export function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

/** All files of a folder with kind, right to run and bytes; without the git dir. */
export function filesOf(root: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const name of readdirSync(join(root, folder)).sort()) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (name === ".git") continue;
      const at = join(root, path);
      const { mode, isLink, isFolder } = kindOf(at);
      if (isFolder) {
        found[`${path}/`] = "folder";
        walk(path);
      } else found[path] = isLink ? `-> ${readlinkSync(at)}` : `${mode} ${readFileSync(at).toString("base64")}`;
    }
  };
  walk("");
  return found;
}

function kindOf(path: string) {
  const found = lstatSync(path);
  const isLink = found.isSymbolicLink();
  return { isLink, isFolder: found.isDirectory(), mode: (found.mode & 0o100) === 0 ? "file" : "program" };
}

/** What a landing that does not move the branch must leave as it was; of a moved one, everything but that branch. */
export function pictureOf({ git, repo }: Bench, but = ""): object {
  const ask = (...args: readonly string[]) => git(repo, "--no-optional-locks", ...args);
  const isBare = git(repo, "rev-parse", "--is-bare-repository") === "true";
  const refs = ask("for-each-ref", "--format=%(refname) %(objectname)").split("\n");
  return {
    refs: refs.filter((line) => but === "" || !line.startsWith(`refs/heads/${but} `)),
    head: readFileSync(join(git(repo, "rev-parse", "--absolute-git-dir"), "HEAD"), "utf8"),
    config: ask("config", "--local", "--list"),
    ...(isBare
      ? {}
      : {
          status: ask("status", "--porcelain", "--ignored"),
          index: ask("ls-files", "--stage", "-v", "--debug").replaceAll(/^ {2}(?:ctime|mtime|dev|uid|size).*\n?/gm, ""),
          files: filesOf(repo),
          stash: ask("stash", "list"),
        }),
  };
}

/** What `git merge --ff-only` makes of the same checkout: a copy taken before, in which git itself moves. */
export function byGit(
  { git, repo, directory }: Bench,
  into = "main",
): { readonly root: string; readonly merge: () => void } {
  const root = join(directory, "by-git");
  rmSync(root, { recursive: true, force: true });
  copyTree(repo, root);
  return {
    root,
    merge: () => {
      git(root, "fetch", "--quiet", "--no-recurse-submodules", repo, into);
      git(root, "merge", "--quiet", "--ff-only", "FETCH_HEAD");
    },
  };
}

/** Everything that git and a person see of a repository after a move is whole. */
export function flawsOf({ git, repo }: Bench): readonly string[] {
  const gitDir = git(repo, "rev-parse", "--path-format=absolute", "--git-common-dir");
  const left = execFileSync(
    "find",
    [
      repo,
      gitDir,
      "(",
      "-name",
      "*.lock",
      "-o",
      "-name",
      "*nomos-*",
      "-o",
      "-name",
      "*.keep",
      "-o",
      "-name",
      "tmp_*",
      ")",
      "-not",
      "-path",
      "*/refs/heads/nomos-*",
    ],
    { encoding: "utf8" },
  );
  const checked = execFileSync(
    "sh",
    ["-c", 'git -C "$1" fsck --strict --full --no-dangling 2>&1 || echo failed', "sh", repo],
    { encoding: "utf8" },
  );
  return [...left.split("\n"), ...checked.split("\n")].filter((line) => line !== "" && !/^notice: /.test(line));
}
