import { copyFile, lstat, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyPlain } from "../files/copy-plain.ts";
import { holdFolder } from "../files/held-folder.ts";
import { findRepository, type Repository, readSmall } from "../git/find-repository.ts";
import { alternates, openView, type RepositoryView } from "../git/repository-view.ts";
import type { GitRunner } from "../git/run-git.ts";
import { HostError } from "../host-error.ts";
import { removeTree } from "../trash/remove-tree.ts";
import type { WorktreePlace, WorktreeRecord } from "../worktrees/worktree-record.ts";

/**
 * One repository whose worktrees are compared. Git sees the person's objects and those that worktrees were made from,
 * never a git dir or an object store that an agent can write.
 */
export interface Ground extends AsyncDisposable {
  readonly key: string;
  /** The person's repository; null when it is gone. */
  readonly user: Repository | null;
  readonly view: RepositoryView;
  /** Lets git read what this tree was made from. */
  readonly cover: (record: WorktreeRecord) => Promise<void>;
  readonly baseOf: (commit: string | null) => Promise<BaseFacts>;
  /** Where a branch is now; null when it is gone. */
  readonly tipOf: (branch: string) => Promise<string | null>;
  /** Commits that were written here. */
  written: number;
}

/** What is known of the commit that worktrees were made from. */
export interface BaseFacts {
  /** Folders that hold tracked files. */
  readonly folders: ReadonlySet<string>;
  /** A folder with nothing but the ignore files of the commit. */
  readonly rules: string;
}

export interface GroundPlace {
  /** Worktrees of the same repository have the same key, also those of its linked worktrees. */
  readonly key: string;
  readonly user: Repository | null;
}

export async function groundOf(git: GitRunner, { repository }: WorktreeRecord): Promise<GroundPlace> {
  const user = await findRepository(git, repository.root ?? repository.gitDir).catch((thrown: unknown) => {
    if (thrown instanceof HostError || (thrown instanceof Error && "code" in thrown)) return null;
    throw thrown;
  });
  const isIt = user !== null && user.gitDir === repository.gitDir;
  return { key: isIt ? user.commonDir : repository.gitDir, user: isIt ? user : null };
}

export async function openGround(
  git: GitRunner,
  scratch: string,
  found: GroundPlace,
  trees: readonly { readonly record: WorktreeRecord; readonly place: WorktreePlace }[],
): Promise<Ground> {
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(scratch, "radar-"));
  try {
    return await open(git, folder, found, trees);
  } catch (thrown) {
    await removeTree(folder);
    throw thrown;
  }
}

async function open(
  git: GitRunner,
  folder: string,
  { key, user }: GroundPlace,
  trees: readonly { readonly record: WorktreeRecord; readonly place: WorktreePlace }[],
): Promise<Ground> {
  const [first] = trees;
  const dirs = new Set([...(user?.objectDirs ?? []), ...trees.flatMap(({ record }) => record.objectDirs)]);
  const view = await openView(git, await seedOf(folder, user, first?.record), folder, [...dirs]);
  await mkdir(join(view.gitDir, "info"));
  if (first !== undefined)
    await copyFile(first.place.exclude, join(view.gitDir, "info", "exclude")).catch(() => undefined);
  const bases = new Map<string, Promise<BaseFacts>>();
  const packed = { stamp: "", lines: new Map<string, string>() };
  return {
    key,
    user,
    view,
    written: 0,
    cover: async ({ objectDirs }) => {
      if (objectDirs.every((dir) => dirs.has(dir))) return;
      for (const dir of objectDirs) dirs.add(dir);
      await writeFile(join(view.gitDir, "objects", "info", "alternates"), alternates([...dirs]));
    },
    baseOf: (commit) => {
      const known = bases.get(commit ?? "");
      if (known !== undefined) return known;
      const facts = factsOfBase(view, folder, commit, bases.size);
      facts.catch(() => bases.delete(commit ?? ""));
      bases.set(commit ?? "", facts);
      return facts;
    },
    tipOf: async (branch) => (user === null ? null : tipIn(user, branch, packed)),
    [Symbol.asyncDispose]: async () => {
      await view[Symbol.asyncDispose]();
      await removeTree(folder);
    },
  };
}

/** A repository without refs. What git has to know of the person's is where its history is cut off. */
async function seedOf(
  folder: string,
  user: Repository | null,
  record: WorktreeRecord | undefined,
): Promise<Repository> {
  const seed = join(folder, "seed");
  await mkdir(join(seed, "refs"), { recursive: true });
  await writeFile(join(seed, "HEAD"), "ref: refs/heads/none\n");
  await using source = user === null ? null : await holdFolder(user.commonDir);
  if (source !== null) await copyPlain(source, Buffer.from("shallow"), Buffer.from(join(seed, "shallow")));
  const config = user?.config ?? { entries: [], get: () => undefined };
  const objectFormat = record?.objectFormat ?? "sha1";
  return {
    root: null,
    gitDir: seed,
    commonDir: seed,
    below: "",
    config,
    objectFormat,
    refFormat: "files",
    objectDirs: [],
  };
}

async function factsOfBase(
  { git }: RepositoryView,
  folder: string,
  commit: string | null,
  n: number,
): Promise<BaseFacts> {
  const rules = join(folder, `rules-${n}`);
  await mkdir(rules);
  const folders = new Set<string>([""]);
  if (commit === null) return { folders, rules };
  const listed = (await git.must(["ls-tree", "-r", "-d", "-z", "--full-tree", commit])).toString();
  // Submodules are listed too.
  for (const line of listed.split("\0"))
    if (line.startsWith("040000 ")) folders.add(line.slice(line.indexOf("\t") + 1));
  const indexFile = join(folder, `index-${n}`);
  await git.must(["read-tree", commit], { indexFile, workTree: rules });
  const ignores = ["--no-literal-pathspecs", "ls-files", "--stage", "-z", "--", ":(glob)**/.gitignore"];
  const lines = (await git.must(ignores, { indexFile })).toString("latin1").split("\0");
  // Git ignores one that is a link.
  const files = lines.filter((line) => line.startsWith("100"));
  const input = Buffer.from(files.map((line) => `${line.slice(line.indexOf("\t") + 1)}\0`).join(""), "latin1");
  await git.must(["checkout-index", "--quiet", "-z", "--stdin"], { workTree: rules, indexFile, input });
  return { folders, rules };
}

const ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
const PACKED_BYTES_MAX = 67_108_864;

/** Read as files: git would read the person's settings, which sessions without a worktree can write. */
async function tipIn(
  { commonDir, refFormat }: Repository,
  branch: string,
  packed: { stamp: string; lines: Map<string, string> },
): Promise<string | null> {
  if (refFormat !== "files") return null;
  const loose = (await readSmall(join(commonDir, "refs", "heads", branch)).catch(() => null))?.trim();
  if (loose !== undefined && ID.test(loose)) return loose;
  const path = join(commonDir, "packed-refs");
  const found = await lstat(path).catch(() => null);
  if (found === null) return null;
  const stamp = `${found.ino} ${found.size} ${found.mtimeMs}`;
  if (stamp !== packed.stamp) {
    const text = found.size > PACKED_BYTES_MAX ? null : await readSmall(path, found.size + 1);
    const pairs = (text ?? "").split("\n").map((line): [string, string] => [line.slice(line.indexOf(" ") + 1), line]);
    packed.lines = new Map(pairs.map(([name, line]) => [name, line.slice(0, line.indexOf(" "))]));
    packed.stamp = stamp;
  }
  const id = packed.lines.get(`refs/heads/${branch}`) ?? "";
  return ID.test(id) ? id : null;
}

/** The branch that a worktree came from: one that was at its commit when it was made. Null: none was. */
export async function cameFrom(
  { refs }: WorktreePlace,
  { userBase, base }: WorktreeRecord,
  user: Repository | null,
): Promise<string | null> {
  const from = userBase ?? base;
  if (from === null || user === null) return null;
  const text = await readSmall(refs, PACKED_BYTES_MAX).catch(() => null);
  const start = `${from} ${HEADS}`;
  const names = (text ?? "").split("\n").flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []));
  const head = await readSmall(join(user.gitDir, "HEAD")).catch(() => null);
  const current = head?.startsWith(`ref: ${HEADS}`) === true ? head.slice(`ref: ${HEADS}`.length).trim() : null;
  return [current, "main", "master"].find((name) => name !== null && names.includes(name)) ?? names[0] ?? null;
}

const HEADS = "refs/heads/";
