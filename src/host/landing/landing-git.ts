import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../git/find-repository.ts";
import { readBlobs } from "../git/read-blobs.ts";
import { createGitRunner, type GitRunner } from "../git/run-git.ts";
import { HostError } from "../host-error.ts";
import { removeTree } from "../trash/remove-tree.ts";
import type { CarryRules } from "../worktrees/carry-files.ts";
import { filtersOf, layAttributes } from "./attributes.ts";
import { blobSizes, type ChangeRange, type LandedChange, landedChanges, lineCounts } from "./commit-changes.ts";
import { type CommitSettings, readCommitSettings } from "./commit-settings.ts";
import { isAncestor, openLandingView, type RepositoryPlace, repositoryAt, tipOf } from "./landing-view.ts";
import { changedByCheck, type LaidOut, layOut } from "./lay-out.ts";
import { type CommitOrder, type Made, makeCommits, withTrailers } from "./make-commits.ts";
import type { CheckoutMove, Moved } from "./move/checkout-move.ts";
import { placesOf } from "./move/checkouts.ts";
import { moveBranch } from "./move/move-branch.ts";
import type { RefMove } from "./move/move-ref.ts";
import { recoverMove } from "./move/recover-move.ts";
import { type Push, type Pushing, pushBranch } from "./push-branch.ts";
import { watchTip } from "./watch-tip.ts";

/** Git for landings: everything is made in a view of ours; the person's repository changes only by `move`. */
export interface LandingGit {
  /** Refused with `not_a_repository` when the repository is gone. */
  readonly open: (place: RepositoryPlace, captured: readonly Captured[]) => Promise<LandingRepository>;
}

/** Where the work of a landing was put. */
export interface Captured {
  readonly folder: string;
  readonly sharedObjects: readonly string[];
}

export interface LandingRepository extends AsyncDisposable {
  readonly repository: Repository;
  /** Git in the view: it sees the person's repository as it was when this was opened, and all captured work. */
  readonly git: GitRunner;
  readonly settings: CommitSettings;
  readonly tip: (branch: string) => Promise<string | null>;
  /** The branch that is checked out where the person works; null when HEAD is detached. */
  readonly currentBranch: () => Promise<string | null>;
  readonly has: (commit: string, tip: string) => Promise<boolean>;
  /** `isTrial`: nothing is signed, because signing may ask the person. */
  readonly make: (
    order: Omit<CommitOrder, "identity" | "signing" | "attributes"> & { readonly isTrial?: boolean },
  ) => Promise<Made>;
  readonly spell: (message: string, trailers: readonly string[]) => Promise<string>;
  readonly changes: (range: ChangeRange) => Promise<readonly LandedChange[]>;
  readonly sizes: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly blobs: (ids: readonly string[], each: (id: string, bytes: Buffer | null) => void) => Promise<void>;
  /** The person's filter for each of these paths that has one, as the commit's attributes say. */
  readonly filters: (commit: string, paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly counts: (from: string, to: string) => ReturnType<typeof lineCounts>;
  readonly layOut: (
    what: { readonly branch: string; readonly tip: string; readonly commit: string },
    folder: string,
  ) => Promise<LaidOut>;
  readonly changedByCheck: (folder: string) => Promise<readonly string[]>;
  /** Tells once when the branch no longer points at `commit`. */
  readonly watch: (
    at: { readonly branch: string; readonly commit: string },
    onMoved: () => void,
    signal: AbortSignal,
  ) => void;
  /** Whether the branch can move now, for a dry run. */
  readonly places: (branch: string) => ReturnType<typeof placesOf>;
  readonly move: (
    move: Pick<RefMove, "branch" | "from" | "to" | "reason"> & Pick<CheckoutMove, "isLight"> & Owned,
  ) => Promise<Moved>;
  readonly recover: (cut: { readonly branch: string; readonly to: string } & Owned) => Promise<boolean>;
  readonly push: (push: Push) => Promise<Pushing>;
}

interface Owned {
  readonly folder: string;
  /** The landing, as written into locks. */
  readonly owner: string;
}

export interface LandingGitOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly scratch: string;
  readonly carry: () => CarryRules;
  readonly bytesMax: () => number;
}

export function createLandingGit({ environment, scratch, carry, bytesMax }: LandingGitOptions): LandingGit {
  const git = createGitRunner(environment);
  return {
    open: async (place, captured) => {
      const repository = await repositoryAt(git, place);
      await mkdir(scratch, { recursive: true, mode: 0o700 });
      const settings = await readCommitSettings(git, environment, repository);
      const view = await openLandingView(git, repository, scratch, captured, settings);
      const { identity, signing, hooks, filters } = settings;
      return {
        repository,
        settings,
        git: view.git,
        tip: (branch) => tipOf(view.git, branch),
        currentBranch: async () => {
          const { exitCode, stdout } = await view.git.run(["symbolic-ref", "-q", "HEAD"]);
          return exitCode === 0
            ? stdout
                .toString()
                .trim()
                .replace(/^refs\/heads\//, "")
            : null;
        },
        has: (commit, tip) => isAncestor(view.git, commit, tip),
        make: async ({ isTrial = false, ...order }) => {
          const attributes = await layAttributes(view, order.tip);
          return makeCommits(view.git, { ...order, attributes, identity, signing: isTrial ? null : signing });
        },
        spell: async (message, trailers) => withTrailers(message, trailers),
        changes: async (range) => landedChanges(view.git, range, await layAttributes(view, range.tip)),
        sizes: (ids) =>
          blobSizes(
            view.git,
            ids.map((id) => ({ mode: "", id })),
          ),
        blobs: (ids, each) => readBlobs(view, ids, each),
        filters: async (commit, paths) => {
          if (filters.length === 0 || paths.length === 0) return new Map();
          const all = await filtersOf(view, commit, paths);
          return new Map([...all].filter(([, filter]) => filters.includes(filter)));
        },
        counts: (from, to) => lineCounts(view.git, from, to),
        layOut: (what, folder) => layOut({ view, repository, carry: carry() }, what, folder),
        changedByCheck: (folder) => changedByCheck(view, folder),
        watch: (at, onMoved, signal) => watchTip(git, repository, at, onMoved, signal),
        places: (branch) => placesOf(git, repository, branch),
        move: async ({ folder, owner, isLight = false, ...ref }) => {
          const own = join(folder, "move");
          const where = { git, view, repository, folder: own, owner, filters, isLight, bytesMax: bytesMax() };
          // What an earlier move left there tells how to take it back.
          if (await recoverMove({ ...where, branch: ref.branch, to: ref.to })) return { moved: true };
          await removeTree(own);
          await mkdir(own, { recursive: true, mode: 0o700 });
          return moveBranch({ ...where, ref: { ...ref, identity, hooks } }).catch(orDiskFull);
        },
        recover: ({ folder, ...cut }) => recoverMove({ ...cut, git, view, repository, folder: join(folder, "move") }),
        push: (push) => pushBranch({ environment, git, view, repository, identity, hooks }, push).catch(orDiskFull),
        [Symbol.asyncDispose]: () => view[Symbol.asyncDispose](),
      };
    },
  };
}

function orDiskFull(cause: unknown): never {
  const isFull = /No space left on device|Disk quota exceeded|^ENOSPC|^EDQUOT/;
  if (!(cause instanceof Error) || !isFull.test(cause.message.replace(/^git [\w-]+ failed: /, ""))) throw cause;
  throw new HostError("disk_full", "the disk is full", { remedy: "make room on the disk, and land again", cause });
}
