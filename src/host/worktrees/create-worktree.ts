import { copyFile, mkdir, readFile, realpath, rename, stat, statfs, utimes, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isInside } from "../files/path-inside.ts";
import { type Repository, readSmall } from "../git/find-repository.ts";
import { alternates, openView, type RepositoryView } from "../git/repository-view.ts";
import type { GitRunner } from "../git/run-git.ts";
import { refuseManyBytes, refuseManyFiles, type TreeBounds } from "../git/tree-bounds.ts";
import { HostError } from "../host-error.ts";
import { type CarryRules, carryFiles } from "./carry-files.ts";
import { makeFolders } from "./make-folders.ts";
import type { ObjectStores } from "./object-store.ts";
import { type Identity, writePrivateGitDir } from "./private-git-dir.ts";
import { orFailed } from "./run-tool.ts";
import { copyOwnObjects, holdObjects, type ObjectsHeld, stageObjects } from "./shared-objects.ts";
import { dropFiles, dropObjects, findWithheld, type Withheld } from "./withheld/withhold-files.ts";
import { placeIn, readRecord, type WorktreePlace, type WorktreeRecord, writeRecord } from "./worktree-record.ts";

export interface NewWorktree {
  readonly id: string;
  readonly repository: Repository;
  /** A branch, tag or commit; undefined: HEAD, even without a commit. */
  readonly base: string | undefined;
  readonly branch: string;
  readonly createdAt: string;
  /** `none`: an empty tree on the base, for a caller that fills it. */
  readonly files: "base" | "none";
  /** Folders that it gets no file of, nor any earlier version of one. */
  readonly withhold?: readonly string[] | undefined;
  /** Set when `repository` belongs to another worktree. Its agent can write everything there except our record. */
  readonly forkOf?: { readonly record: WorktreeRecord; readonly place: WorktreePlace; readonly ownObjects: string };
}

export interface WorktreeYard {
  readonly git: GitRunner;
  /** The folder of all worktrees. */
  readonly folder: string;
  /** For temporary files of one command. */
  readonly scratch: string;
  readonly stores: ObjectStores;
  readonly carry: () => CarryRules;
  readonly bounds: () => TreeBounds;
  /** Moves a folder away to be deleted; never fails. */
  readonly discard: (path: string) => Promise<void>;
  readonly identity: (repository: Repository) => Promise<Identity>;
  /** The person's global ignore rules. */
  readonly globalExclude: () => Promise<string>;
}

export const MAKING = ".making-";

/** Makes the worktree under a temporary name and renames it: it exists completely or not at all. */
export async function createWorktree(yard: WorktreeYard, given: NewWorktree): Promise<WorktreeRecord> {
  const making = placeIn(join(yard.folder, `${MAKING}${given.id}`));
  const place = placeIn(join(yard.folder, given.id));
  await yard.discard(making.folder);
  try {
    await mkdir(making.tree, { recursive: true, mode: 0o700 });
    const record = await fill(yard, given, making, place);
    await writeRecord(making, record);
    await rename(making.folder, place.folder);
    return record;
  } catch (thrown) {
    await yard.discard(making.folder);
    // Our packs may be damaged, so the next worktree packs them again.
    if (thrown instanceof HostError && thrown.code === "worktree_base_incomplete")
      await yard.stores.forget(given.repository);
    return orFailed("making the worktree", thrown);
  }
}

async function fill(
  yard: WorktreeYard,
  given: NewWorktree,
  making: WorktreePlace,
  place: WorktreePlace,
): Promise<WorktreeRecord> {
  const { id, repository, branch, createdAt, files, forkOf, withhold = [] } = given;
  const { commit, refs, objects, withheld, view: opened } = await takeObjects(yard, given, making);
  await using view = opened;
  const objectDirs = [place.objects];
  const origin = forkOf ?? (await worktreeAround(yard.folder, repository));
  const exclude =
    origin === null
      ? `${await ownExclude(repository)}\n${await yard.globalExclude()}`
      : await readFile(origin.place.exclude, "utf8");
  const gitDir = join(making.tree, ".git");
  const identity = await yard.identity(repository);
  await writePrivateGitDir(gitDir, { repository, branch, commit, refs: refs.held, objectDirs, identity, exclude });
  const shallow = await readSmall(join(repository.commonDir, "shallow"));
  if (shallow !== null) await writeFile(join(gitDir, "shallow"), shallow);
  if (origin === null) await writeFile(making.refs, refs.all.map((line) => `${line}\n`).join(""));
  else await copyFile(origin.place.refs, making.refs);
  await writeFile(making.exclude, exclude);
  const indexFile = join(gitDir, "index");
  if (commit !== null && files === "base") await checkOut(view, commit, making.tree, indexFile, yard.bounds());
  if (commit !== null) await dropFiles(view.git, making.tree, indexFile, withhold);
  await dropObjects(view.git, making.objects, withheld, repository.objectFormat);
  // The base is older than the directory.
  if (!(await makeFolders(making.tree, repository.below))) throw noFolder(repository.below);
  const user = forkOf?.record.repository ?? { root: repository.root, gitDir: repository.gitDir };
  const carried =
    user.root === null || files === "none"
      ? { carried: [], notCarried: [] }
      : await carryFiles({ view, from: user.root, to: making.tree, indexFile }, yard.carry());
  if (commit !== null && files === "base") await copyWithTimes(indexFile, making.index);
  const { objectFormat, below } = repository;
  const known = { id, branch, repository: user, below, base: commit, objectFormat };
  const userBase = origin === null ? commit : origin.record.userBase;
  const going = { objects, objectDirs, createdAt, ...carried };
  return { format: 1, ...known, ...(userBase === undefined ? {} : { userBase }), ...going };
}

interface TakenObjects {
  readonly commit: string | null;
  /** Lines `<id> <name>`: all refs, and those whose objects were taken. */
  readonly refs: { readonly all: readonly string[]; readonly held: readonly string[] };
  readonly objects: ObjectsHeld;
  /** Objects that go when the files are checked out. */
  readonly withheld: Withheld;
  /** The refs as they were, with the worktree's objects. */
  readonly view: RepositoryView;
}

/**
 * Copies the refs first, then the objects: a commit made in between only adds a ref that we do not have. Git then reads
 * our copies, and ignores further object directories that the repository names.
 */
async function takeObjects(
  yard: WorktreeYard,
  { repository, base, forkOf, withhold = [] }: NewWorktree,
  making: WorktreePlace,
): Promise<TakenObjects> {
  const own = join(making.tree, ".git", "objects");
  const stage = join(making.folder, "stage");
  const shown = forkOf === undefined ? [stage] : [making.objects, own];
  const view = await openView(yard.git, { ...repository, objectDirs: shown }, yard.scratch);
  try {
    await mkdir(join(making.objects, "pack"), { recursive: true });
    const { objectDirs } = repository;
    const objects = await (forkOf === undefined
      ? stageObjects(objectDirs, stage)
      : holdObjects(objectDirs, making.objects));
    if (forkOf !== undefined) await copyOwnObjects(forkOf.ownObjects, own);
    const commit = await resolveBase(view, base);
    const all = await refsOf(view);
    // What it was made without is not in the worktree that it is a fork of.
    const nothing: Withheld = { blobs: [], refs: [] };
    if (forkOf !== undefined) return { commit, refs: { all, held: all }, objects, withheld: nothing, view };
    const tips = all.map(idIn);
    const order = { git: view.git, staged: stage, repository, base: commit, tips, to: making.objects };
    const held = await yard.stores.hold(order).catch(orIncomplete);
    await writeFile(join(view.gitDir, "objects", "info", "alternates"), alternates([making.objects]));
    await yard.discard(stage);
    const withheld = await findWithheld(view.git, [...held], withhold, repository.objectFormat);
    const kept = all.filter((line) => held.has(idIn(line)));
    const refs = { all: [...all, ...withheld.refs], held: [...kept, ...withheld.refs] };
    return { commit, refs, objects, withheld, view };
  } catch (thrown) {
    await view[Symbol.asyncDispose]();
    throw thrown;
  }
}

function idIn(ref: string): string {
  return ref.slice(0, ref.indexOf(" "));
}

/**
 * The worktree that this repository belongs to, if any. Its record says what is the user's; its files cannot be trusted
 * for that.
 */
export async function worktreeAround(
  folder: string,
  { root, gitDir }: Repository,
): Promise<{ readonly record: WorktreeRecord; readonly place: WorktreePlace } | null> {
  const yard = await realpath(folder).catch(() => folder);
  if (!isInside(yard, root ?? gitDir)) return null;
  const place = placeIn(join(yard, relative(yard, root ?? gitDir).split(sep)[0] ?? ""));
  const record = await readRecord(place);
  return record === null ? null : { record, place };
}

async function ownExclude({ commonDir }: Repository): Promise<string> {
  return (await readSmall(join(commonDir, "info", "exclude"))) ?? "";
}

function noFolder(below: string): HostError {
  return new HostError("cwd_missing", `${below} is no folder in the base: a link or a file is on the way`, {
    remedy: "start the session at the root of the repository, or in a folder that exists in the base",
    details: { below },
  });
}

/** The commit, or null when HEAD has none yet. */
export async function resolveBase({ git }: RepositoryView, base: string | undefined): Promise<string | null> {
  const name = base ?? "HEAD";
  const found = await git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  if (found.exitCode === 0) return found.stdout.toString().trim();
  const isUnborn = base === undefined && (await git.run(["rev-parse", "--verify", "--quiet", "HEAD"])).exitCode !== 0;
  if (isUnborn && (await git.run(["symbolic-ref", "--quiet", "HEAD"])).exitCode === 0) return null;
  throw new HostError("worktree_base_missing", `there is no commit ${name} in the repository`, {
    remedy: "name a branch, tag or commit that `git log` shows",
    details: { base: name },
  });
}

/** Lines `<id> <name>` of branches, tags and remotes; symbolic refs are left out. */
export async function refsOf({ git }: RepositoryView): Promise<readonly string[]> {
  const format = "--format=%(if)%(symref)%(then)%(else)%(objectname) %(refname)%(end)";
  const listed = await git.must(["for-each-ref", format, "refs/heads", "refs/tags", "refs/remotes"]);
  // A name that is not valid text could not be written back exactly.
  return listed
    .toString()
    .split("\n")
    .filter((line) => line !== "" && !line.includes("\ufffd"));
}

/** Plumbing commands with our own configuration: filters named by attributes are not defined here, so none run. */
async function checkOut(
  { git }: RepositoryView,
  commit: string,
  workTree: string,
  indexFile: string,
  bounds: TreeBounds,
): Promise<void> {
  const patient = { timeoutMs: CHECKOUT_TIMEOUT_MS };
  await refuseManyFiles(git, commit, bounds, patient).catch(orIncomplete);
  const bytes = await refuseManyBytes(git, commit, bounds, patient).catch(orIncomplete);
  if (bytes > (await freeBytes(workTree))) throw diskFull(`the base has ${bytes} bytes`);
  const options = { workTree, indexFile, ...patient };
  await git.must(["read-tree", commit], options).catch(orIncomplete);
  await git.must(["checkout-index", "--all", "--index", "--quiet"], options).catch(async (thrown: unknown) => {
    // Git reports that it could not write, but not why.
    if ((await freeBytes(workTree)) < FULL_BYTES) throw diskFull(thrown);
    orIncomplete(thrown);
  });
}

const FULL_BYTES = 4_194_304;

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function diskFull(cause: unknown): HostError {
  return new HostError("disk_full", "the disk is full", { remedy: "make room on the disk", cause });
}

const CHECKOUT_TIMEOUT_MS = 600_000;

function orIncomplete(thrown: unknown): never {
  if (!(thrown instanceof HostError)) throw thrown;
  if (/No space left on device|Disk quota exceeded/.test(thrown.message)) throw diskFull(thrown);
  if (/unable to read|missing|bad object|promisor|not a tree object|unable to get/.test(thrown.message))
    throw new HostError("worktree_base_incomplete", "objects of the base are not there", {
      remedy: "run `git fetch --refetch` in the repository, or check the base out there",
      details: thrown.details,
      cause: thrown,
    });
  throw thrown;
}

/** Git uses the index's modification time to decide which entries to trust. */
export async function copyWithTimes(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const seconds = Math.floor((await stat(from)).mtimeMs) / 1000;
  await utimes(to, seconds, seconds);
}
