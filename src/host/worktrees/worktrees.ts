import { lstat, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { LiveChanges } from "../changes/live-changes.ts";
import { createStandings } from "../changes/standing.ts";
import { treeChanges } from "../changes/tree-changes.ts";
import { type FoundRepository, findRepository } from "../git/find-repository.ts";
import { openView } from "../git/repository-view.ts";
import { createGitRunner, type GitRunner } from "../git/run-git.ts";
import type { TreeBounds } from "../git/tree-bounds.ts";
import { HostError } from "../host-error.ts";
import { type CapturedWork, captureWork } from "../landing/capture-work.ts";
import { removeTree } from "../trash/remove-tree.ts";
import { type Applied, applyWorktree, orUnreadable } from "./apply/apply-worktree.ts";
import { offerCommit } from "./apply/offer-commit.ts";
import { type PatchWish, type WorktreeChanges, worktreeChanges } from "./apply/worktree-changes.ts";
import type { CarryRules } from "./carry-files.ts";
import {
  createWorktree,
  MAKING,
  type NewWorktree,
  resolveBase,
  type WorktreeYard,
  worktreeAround,
} from "./create-worktree.ts";
import { type Look, lookThrough, ownObjects, privateRepository, type Work } from "./find-work.ts";
import { createObjectStores } from "./object-store.ts";
import { createPerson } from "./person.ts";
import { putAside, REMOVING, type Removal, type RemovalWish, workIn } from "./remove-worktree.ts";
import { placeIn, readRecord, type WorktreeRecord } from "./worktree-record.ts";

/** A worktree whose tree or record exists. */
export interface Worktree extends WorktreeRecord {
  /** The tree; `cwd` is the directory in it where the session works. */
  readonly path: string;
  readonly cwd: string;
  /** `missing`: somebody deleted or moved the tree. */
  readonly state: "present" | "missing";
}

export interface WorktreePlan extends Omit<NewWorktree, "createdAt" | "files"> {
  readonly path: string;
  readonly cwd: string;
}

/**
 * Worktrees of the user's repositories, in the home, each with its own git dir. Nothing here writes to a user's
 * repository.
 */
export interface Worktrees {
  readonly folder: string;
  /** Checks everything that can be checked without making anything, such as a missing repository or base. */
  readonly plan: (
    wish: Pick<NewWorktree, "id" | "withhold"> &
      Partial<Pick<NewWorktree, "base">> & { readonly cwd: string; readonly name: string },
  ) => Promise<WorktreePlan>;
  /** The commit that a base names now, so that several worktrees start from the same one; null: there is no commit. */
  readonly resolve: (wish: {
    readonly cwd: string;
    readonly base?: string | undefined;
  }) => Promise<{ readonly commit: string | null; readonly repository: string }>;
  /** The same for a fork, which starts at the other worktree's commit. The caller copies uncommitted files. */
  readonly planFork: (wish: {
    readonly id: string;
    readonly from: string;
    readonly name: string;
  }) => Promise<WorktreePlan>;
  readonly create: (plan: WorktreePlan, createdAt: string, files?: NewWorktree["files"]) => Promise<Worktree>;
  readonly list: () => Promise<readonly Worktree[]>;
  readonly get: (id: string) => Promise<Worktree | null>;
  /** What would be lost with it. */
  readonly work: (id: string) => Promise<Work>;
  /**
   * Brings its changes into the files of the repository; see `applyWorktree`. Without `begin` nothing is changed. One at
   * a time.
   */
  readonly apply: (id: string, begin: ((files: number) => Promise<void>) | null) => Promise<Applied>;
  /** Its changes against the commit it was made from, committed or not. */
  readonly changes: (id: string, wish: PatchWish) => Promise<WorktreeChanges>;
  /** What it changes against a branch of its repository that is at `tip`, as its files are now; see `liveChanges`. */
  readonly live: (id: string, tip: string | null) => Promise<LiveChanges>;
  /** Puts what it holds now into `folder`, committed or not; see `captureWork`. */
  readonly capture: (id: string, folder: string) => Promise<CapturedWork>;
  /** Adds a commit of the repository, which `from` sees, to the objects that its agent may read. */
  readonly offer: (id: string, from: GitRunner, commit: string) => Promise<void>;
  /**
   * Puts it aside if nothing would be lost; see `putAside`. A worktree whose tree is missing only with `evenMissing`, one
   * that holds work only with `evenWork`.
   */
  readonly remove: (id: string, wish?: RemovalWish) => Promise<Removal>;
  /**
   * Cleans up after a crash. Unfinished worktrees are removed, because nobody has worked in them. Those put aside are
   * deleted if `isRemoved` says so, else put back; `onStuck` is told of those that could not be put back.
   */
  readonly sweep: (
    isRemoved: (id: string) => Promise<boolean>,
    onStuck: (path: string, reason: unknown) => void,
  ) => Promise<void>;
}

export interface WorktreesOptions {
  readonly folder: string;
  readonly scratch: string;
  /** For packs that worktrees of one repository share; on the same disk as the worktrees. */
  readonly stores: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly carry: () => CarryRules;
  readonly bounds: () => TreeBounds;
  /** Whether a repository may borrow objects from others (`objects/info/alternates`). */
  readonly borrows?: () => boolean;
  /** Moves away a folder that an agent may have filled; never fails. */
  readonly discard?: (path: string) => Promise<void>;
  /** Limits how long git may wait for something that an agent made. */
  readonly gitTimeoutMs?: number;
}

/** Files that ignore rules usually cover and that nobody can build again: new or changed ones are work. */
const NEVER_LOST = [".env*"];

export function createWorktrees({
  folder,
  scratch,
  stores: storesFolder,
  environment,
  carry,
  bounds,
  borrows,
  gitTimeoutMs,
  discard = async (path) => void (await removeTree(path)),
}: WorktreesOptions): Worktrees {
  const git = createGitRunner(environment, gitTimeoutMs);
  const stores = createObjectStores(storesFolder);
  const standings = createStandings();
  const yard: WorktreeYard = {
    git,
    folder,
    scratch,
    stores,
    carry,
    bounds,
    discard,
    ...createPerson(git, environment),
  };
  const scene = () => ({ git, scratch, carry: [...carry().patterns, ...NEVER_LOST], bounds: bounds() });

  let lastApply: Promise<unknown> = Promise.resolve();
  const get: Worktrees["get"] = async (id) => {
    const place = placeIn(join(folder, id));
    const record = ID.test(id) ? await readRecord(place) : null;
    if (record === null) return null;
    const isThere = (await lstat(place.tree).catch(() => null))?.isDirectory() === true;
    const where = { path: place.tree, cwd: join(place.tree, record.below) };
    return { ...record, ...where, state: isThere ? "present" : "missing" };
  };
  const known = async (id: string): Promise<Worktree> => {
    const found = await get(id);
    if (found !== null) return found;
    throw new HostError("worktree_not_found", `there is no worktree ${id}`, {
      remedy: "`nomos worktree list` shows them",
    });
  };

  const present = async (id: string): Promise<Worktree> => {
    const tree = await known(id);
    if (tree.state === "missing") throw movedAway(tree.path);
    return tree;
  };
  const looked = async <T>(id: string, see: (look: Look) => Promise<T>): Promise<T> => {
    const tree = await present(id);
    const place = placeIn(join(folder, id));
    return orUnreadable(place, lookThrough(scene(), place, tree, see));
  };
  const lookAt = (cwd: string, base: string | undefined) =>
    startingPoint({ git, folder, scratch, borrows: borrows?.() === true }, cwd, base);

  return {
    folder,
    plan: async ({ id, cwd, name, base, withhold }) => {
      const { repository } = await lookAt(cwd, base);
      const { tree } = placeIn(join(folder, id));
      return { id, repository, base, withhold, branch: branchOf(name), path: tree, cwd: join(tree, repository.below) };
    },
    resolve: async ({ cwd, base }) => {
      const { repository, commit } = await lookAt(cwd, base);
      return { commit, repository: repository.root ?? repository.commonDir };
    },
    planFork: async ({ id, from, name }) => {
      const parent = await known(from);
      const place = placeIn(join(folder, from));
      if (parent.state === "missing") throw movedAway(parent.path);
      const repository = await privateRepository(place, parent).catch((cause: unknown) => {
        throw notItsOwn(parent.path, cause);
      });
      const { tree } = placeIn(join(folder, id));
      const forkOf = { record: parent, place, ownObjects: ownObjects(place) };
      const where = { path: tree, cwd: join(tree, parent.below) };
      return { id, repository, base: undefined, branch: branchOf(name), ...where, forkOf };
    },
    create: async ({ path, cwd, ...plan }, createdAt, files = "base") => {
      const record = await createWorktree(yard, { ...plan, createdAt, files });
      return { ...record, path, cwd, state: "present" };
    },
    list: async () => {
      const names = await readdir(folder).catch(() => []);
      const found = await Promise.all(names.filter((name) => ID.test(name)).map(get));
      return found.filter((one) => one !== null).toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    },
    get,
    work: async (id) => workIn(scene(), placeIn(join(folder, id)), await known(id)),
    apply: async (id, begin) => {
      const tree = await present(id);
      const run = () => applyWorktree(scene(), placeIn(join(folder, id)), tree, begin);
      const mine = lastApply.then(run, run);
      lastApply = mine.catch(() => undefined);
      return mine;
    },
    changes: (id, wish) => looked(id, (look) => worktreeChanges(look, wish)),
    live: (id, tip) => looked(id, (look) => treeChanges(look, tip, standings)),
    capture: (id, capturedIn) => looked(id, (look) => captureWork(look, capturedIn)),
    offer: async (id, from, commit) => {
      const tree = await present(id);
      await offerCommit(placeIn(join(folder, id)), tree, from, commit);
    },
    remove: async (id, wish) => {
      await known(id);
      return putAside({ ...scene(), discard }, folder, id, wish);
    },
    sweep: async (isRemoved, onStuck) => {
      await sweepFolder(folder, discard, isRemoved, onStuck);
      await stores.sweep();
    },
  };
}

const ID = /^[0-9a-z][0-9a-z-]{0,63}$/;

async function sweepFolder(
  folder: string,
  discard: (path: string) => Promise<void>,
  ...[isRemoved, onStuck]: Parameters<Worktrees["sweep"]>
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (name.startsWith(MAKING)) await discard(path);
    if (!name.startsWith(REMOVING)) continue;
    const id = name.slice(REMOVING.length);
    if (ID.test(id) && (await isRemoved(id))) await discard(path);
    else await rename(path, join(folder, id)).catch((thrown: unknown) => onStuck(path, thrown));
  }
}

/** Refuses a directory and a base that no worktree can be made from. */
async function startingPoint(
  yard: Pick<WorktreeYard, "git" | "folder" | "scratch"> & { readonly borrows: boolean },
  cwd: string,
  base: string | undefined,
): Promise<{ readonly repository: FoundRepository; readonly commit: string | null }> {
  const repository = await findRepository(yard.git, cwd);
  if (repository === null)
    throw new HostError("not_a_repository", `${cwd} is in no git repository`, {
      remedy: "run `git init` there, or leave out `worktree` and `scope`",
      details: { cwd },
    });
  // The repository of another worktree leads to the objects that we put beside it.
  const laid = (await worktreeAround(yard.folder, repository))?.record.objectDirs ?? [];
  const isBorrowed = repository.foreign.some((path) => !laid.includes(path));
  if (isBorrowed && !yard.borrows) throw borrowing(repository);
  await using view = await openView(yard.git, repository, yard.scratch);
  return { repository, commit: await resolveBase(view, base) };
}

function borrowing({ commonDir, foreign }: FoundRepository): HostError {
  return new HostError("repository_invalid", `${commonDir} borrows objects of another repository`, {
    remedy:
      "make it whole: `git repack -a -d`, then delete `objects/info/alternates`; or allow it: `nomos config set worktree.alternates true`",
    details: { path: commonDir, reason: "objects/info/alternates", foreign },
  });
}

function movedAway(path: string): HostError {
  return new HostError("worktree_missing", `${path} is not where it was`, {
    remedy: "move it back",
    details: { path },
  });
}

function notItsOwn(path: string, cause: unknown): HostError {
  return new HostError("repository_invalid", `the git dir of ${path} is not the one that was made there`, {
    remedy: "put the worktree's original `.git` folder back, or copy its files by hand",
    details: { path, reason: cause instanceof Error ? cause.message : String(cause) },
    cause,
  });
}

/** A valid name for a git branch. */
function branchOf(name: string): string {
  const plain = name.toLowerCase().replace(/[^0-9a-z._-]+/g, "-");
  return `nomos/${plain.replace(/\.{2,}|\.lock$|^[.-]+|[.-]+$/g, "-").replace(/^-+|-+$/g, "") || "session"}`;
}
