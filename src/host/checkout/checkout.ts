import { stat } from "node:fs/promises";
import type { Repository } from "../git/find-repository.ts";
import type { GitOptions, GitRunner } from "../git/run-git.ts";
import { HostError } from "../host-error.ts";
import { type CommitSettings, readCommitSettings } from "../landing/commit-settings.ts";
import { headOf, underWayIn } from "../landing/move/checkouts.ts";
import { commitOnly, type OwnCommit } from "./commit-only.ts";
import { stagePaths, unstagePaths } from "./stage-paths.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A checkout of the person's, in which single files are staged and committed beside their own work. */
export interface PersonCheckout {
  readonly root: string;
  readonly repository: Repository;
  /** The branch that is checked out, also one without a commit; null when HEAD is detached. */
  readonly branch: string | null;
  /** Null: nothing is committed yet. */
  readonly head: string | null;
  /** What goes on there that a commit would disturb, such as "a merge"; null for nothing. */
  readonly underWay: string | null;
  readonly settings: CommitSettings;
  /** Git on the person's own git dir, with no program of anybody's. */
  readonly git: GitRunner;
  /** Files that git tracks or would track. */
  readonly files: () => Promise<readonly string[]>;
  /** What HEAD holds below a folder; the empty one is the root. */
  readonly committed: (folder: string) => Promise<ReadonlySet<string>>;
  /** Paths below a folder that differ from HEAD, in the index or on disk, or that git does not know; without ignored ones. */
  readonly changed: (folder: string) => Promise<readonly string[]>;
  /** What git does not track and does not show; a folder of such files alone is one path. */
  readonly ignored: () => Promise<readonly string[]>;
  /** As `git add` and `git rm` do, also for ignored files. Returns how to take it back. */
  readonly stage: (paths: readonly string[]) => Promise<{ readonly undo: () => Promise<void> }>;
  /** As `git commit --only` does: the person's other changes stay as they are, staged or not. */
  readonly commit: (order: OwnCommit) => Promise<string>;
}

/** Refuses a repository without files of its own. */
export async function openCheckout(
  git: GitRunner,
  environment: Environment,
  repository: Repository,
): Promise<PersonCheckout> {
  const { root, gitDir } = repository;
  if (root === null)
    throw new HostError("repository_bare", `${gitDir} is a bare repository`, {
      remedy: "run it in a clone that has files",
      details: { path: gitDir },
    });
  const settings = await readCommitSettings(git, environment, repository);
  const own = await asPerson(repository, root);
  const within = (options: GitOptions = {}): GitOptions => ({
    ...own,
    ...options,
    settings: [...quiet(repository), ...(options.settings ?? [])],
  });
  const inside: GitRunner = {
    run: (args, options) => git.run(args, within(options)),
    must: (args, options) => git.must(args, within(options)),
    text: (args, options) => git.text(args, within(options)),
  };
  const head = await inside.run(["rev-parse", "--verify", "-q", "HEAD^{commit}"]);
  const ref = await headOf(git, repository, gitDir);
  const place = { git: inside, environment, settings, root };
  return {
    ...{ root, repository, settings, git: inside },
    branch: ref?.startsWith("refs/heads/") === true ? ref.slice("refs/heads/".length) : null,
    head: head.exitCode === 0 ? head.stdout.toString().trim() : null,
    underWay: await underWayIn(gitDir),
    files: async () => namesIn(await inside.must(["ls-files", "-z", "-co", "--exclude-standard"], LONG)),
    committed: async (folder) =>
      head.exitCode === 0
        ? new Set(namesIn(await inside.must(["ls-tree", "-r", "-z", "--name-only", "HEAD", ...below(folder)], LONG)))
        : new Set(),
    changed: async (folder) => changedIn(await inside.must([...STATUS, ...below(folder)], LONG)),
    ignored: async () => namesIn(await inside.must(IGNORED, LONG)),
    stage: async (paths) => {
      const before = await stagePaths(inside, { root, objectFormat: repository.objectFormat }, paths);
      return { undo: () => unstagePaths(inside, before) };
    },
    commit: (order) => commitOnly(place, order),
  };
}

const LONG = { timeoutMs: 120_000, outputBytesMax: 268_435_456 };

/** A daemon that runs as root writes as the owner of the repository. */
async function asPerson({ gitDir }: Repository, root: string): Promise<GitOptions> {
  const { uid, gid } = await stat(gitDir);
  const isOther = process.getuid?.() === 0 && uid !== 0;
  return { gitDir, workTree: root, cwd: root, endsGently: true, ...(isOther ? { user: { uid, gid } } : {}) };
}

/** Keeps the index as the person has it, and runs none of the filters that the repository's own settings name. */
function quiet({ config }: Repository): readonly string[] {
  const filters = new Set(config.entries.flatMap(([name]) => /^filter\.(.+)\.[a-z]+$/.exec(name)?.[1] ?? []));
  const unfiltered = [...filters].flatMap((name) =>
    ["clean=", "smudge=", "process=", "required=false"].map((setting) => `filter.${name}.${setting}`),
  );
  return ["core.untrackedCache=keep", `core.splitIndex=${config.get("core.splitindex") ?? "false"}`, ...unfiltered];
}

function namesIn(listed: Buffer): readonly string[] {
  return [...new Set(listed.toString().split("\0").filter(Boolean))];
}

const below = (folder: string): readonly string[] => (folder === "" ? [] : ["--", folder]);
const STATUS = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"] as const;

const IGNORED = ["ls-files", "-z", "-oi", "--exclude-standard", "--directory"] as const;

function changedIn(told: Buffer): readonly string[] {
  return namesIn(told).map((line) => line.slice(STATUS_CHARS));
}

/** Two letters and a space stand before the path. */
const STATUS_CHARS = 3;
