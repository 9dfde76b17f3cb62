import { realpath } from "node:fs/promises";
import type { By, Committer } from "../../commit/index.ts";
import { NomosError, toNomosError } from "../../contract/index.ts";
import { keepWorktree } from "../../domains/index.ts";
import {
  type CapturedWork,
  type Clock,
  isInside,
  type LiveChanges,
  type RepositoryGit,
  type Work,
  type Worktree,
  type WorktreeChanges,
  type Worktrees,
} from "../../host/index.ts";
import {
  type Decision,
  type Fact,
  fact,
  Session,
  type SessionRow,
  type SessionSpec,
  type SessionState,
} from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { sessionRows } from "../life/neighbours.ts";
import { applyTree, refuseBusy, type TreeApplication, worktreeOf } from "./apply-worktree.ts";
import { createTreeRemoval, ownerIn, type ShownTree } from "./remove-worktree.ts";
import type { SessionFiles } from "./session-files.ts";

/** Worktrees of sessions: made before the session opens, kept or removed after it ended. */
export interface SessionTrees {
  /** Null for a session without a worktree. */
  readonly make: (id: string, spec: SessionSpec, wish: TreeWish) => Promise<MadeTree | null>;
  /** Null when the parent has no worktree. */
  readonly makeFork: (id: string, name: string, parent: SessionState) => Promise<MadeTree | null>;
  /** Removes the worktree of a session that was not created. Nobody worked in it. */
  readonly drop: (id: string) => Promise<void>;
  /** Removes the worktree of an ended session unless work would be lost. */
  readonly settle: (sessionId: string) => Promise<void>;
  readonly list: () => Promise<readonly ShownTree[]>;
  /** The worktree that a session works in, or worked in. */
  readonly find: (sessionId: string) => Promise<ShownTree>;
  /** The person's repository that a worktree was made from; null: there is no such worktree. */
  readonly repositoryOf: (id: string) => Promise<Worktree["repository"] | null>;
  readonly show: (id: string) => Promise<ShownTree & { readonly work: Work }>;
  /**
   * Refused with `worktree_has_work` or `worktree_in_use` if data would be lost. The only way to clear one whose folder is
   * missing.
   */
  readonly remove: (id: string, by: By) => Promise<readonly RecordedEvent[]>;
  /**
   * Brings the work of a session's worktree into the files of its repository: all of it or nothing. Without a caller it
   * only says what would happen.
   */
  readonly apply: (sessionId: string, by: By | null) => Promise<TreeApplication>;
  /** Puts what a session's worktree holds now into `folder`, where no agent can write. Refused while somebody works in it. */
  readonly capture: (sessionId: string, folder: string) => Promise<CapturedTree>;
  /** The commit that a base names now, and the repository it is in. */
  readonly resolve: Worktrees["resolve"];
  /** What a session's worktree changes against the commit it was made from. */
  readonly changes: (sessionId: string, wish: { readonly patchBytesMax: number }) => Promise<WorktreeChanges>;
  /** What it changes against a branch of its repository that is at `tip`, as its files are now. */
  readonly live: (sessionId: string, tip: string | null) => Promise<LiveChanges>;
  /** Removes the worktree of an ended session with the work in it: a person said so. Takes a last snapshot first. */
  readonly discard: (sessionId: string, by: By) => Promise<readonly RecordedEvent[]>;
  /** Lets git in a session's worktree read a commit of its repository, with everything that it is made of. */
  readonly offer: (sessionId: string, from: RepositoryGit, commit: string) => Promise<void>;
  /** Removes every worktree that nobody works in and that holds no work. */
  readonly collect: (by: By) => Promise<readonly RecordedEvent[]>;
  /** Cleans up after a crash, before anything runs. */
  readonly sweep: () => Promise<void>;
}

export interface TreeWish {
  readonly worktree?: boolean | undefined;
  readonly scope?: object | undefined;
  readonly base?: string | undefined;
  /** The worktree of an earlier session to continue in. */
  readonly attach?: string | undefined;
  readonly withhold?: readonly string[] | undefined;
}

export interface MadeTree {
  readonly cwd: string;
  /** The root of the worktree; `cwd` may lie below it. */
  readonly root: string;
  readonly facts: readonly Fact[];
}

export interface CapturedTree {
  readonly tree: ShownTree;
  readonly captured: CapturedWork;
}

export interface SessionTreesDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly worktrees: Worktrees;
  readonly sessionFiles: Pick<SessionFiles, "keep" | "takenFact">;
  readonly log: (message: string, details: object) => void;
}

const DAEMON: By = { actor: "daemon" };

export function createSessionTrees(deps: SessionTreesDeps): SessionTrees {
  const { store, committer, clock, worktrees, log } = deps;
  const now = () => clock.iso(clock.nowMs());

  const shown = async (trees: readonly Worktree[]): Promise<readonly ShownTree[]> => {
    const alive = await livingIn(worktrees.folder, store);
    return trees.map((tree) => ({
      ...tree,
      sessions: alive.filter(({ cwd }) => isInside(tree.path, cwd)).map(({ id }) => id),
    }));
  };
  const known = async (id: string): Promise<ShownTree> => {
    const found = await worktrees.get(id);
    const [tree] = found === null ? [] : await shown([found]);
    if (tree === undefined) throw new NomosError("worktree_not_found", { id });
    return tree;
  };
  const ownerOf = (id: string) => ownerIn(store, id);
  const take = createTreeRemoval(deps);

  const dropUnowned = async (id: string): Promise<void> => {
    const removal = await worktrees.remove(id);
    if (removal.removed) await removal.finish();
    else log("a worktree without a session holds work and was kept", { id });
  };

  return {
    make: async (id, spec, { worktree, scope, base, attach, withhold }) => {
      if (attach !== undefined) {
        const { sessions, state, path, branch, cwd } = await known(attach);
        if (state === "missing") throw new NomosError("worktree_missing", { id: attach, path });
        if (sessions.length > 0) throw new NomosError("worktree_in_use", { id: attach, sessions: [...sessions] });
        // An earlier session may have left a link in the path that leads out of the worktree.
        if ((await realpath(cwd).catch(() => null)) !== cwd) throw new NomosError("cwd_missing", { cwd });
        return { cwd, root: path, facts: [fact("worktree.attached@1", { worktreeId: attach, path, branch })] };
      }
      if (worktree !== true && scope === undefined) return null;
      const plan = await worktrees.plan({ id, cwd: spec.cwd, name: spec.name, base, withhold });
      return made(await worktrees.create(plan, now()));
    },
    makeFork: async (id, name, parent) => {
      if (parent.worktree == null) return null;
      return made(await worktrees.create(await worktrees.planFork({ id, name, from: parent.worktree }), now()));
    },
    drop: async (id) => {
      if ((await worktrees.get(id)) === null) return;
      const removal = await worktrees.remove(id);
      if (removal.removed) await removal.finish();
    },
    settle: async (sessionId) => {
      const { worktree: id } = await store.fold(Session, sessionId);
      if (id == null || (await worktrees.get(id)) === null) return;
      try {
        await take(await known(id), DAEMON);
      } catch (thrown) {
        const { code, details } = toNomosError(thrown);
        const { id: _id, path: _path, branch: _branch, ...work } = details;
        if (code === "worktree_has_work" || code === "worktree_in_use")
          await committer.change(Session, sessionId, (state) => keepWorktree(state, { worktreeId: id, work }), DAEMON);
        else log("a worktree stays", { id, code, reason: String(thrown) });
      }
    },
    list: async () => shown(await worktrees.list()),
    repositoryOf: async (id) => (await worktrees.get(id))?.repository ?? null,
    show: async (id) => ({ ...(await known(id)), work: await worktrees.work(id) }),
    find: async (sessionId) => known(await worktreeOf(store, sessionId)),
    apply: async (sessionId, by) => applyTree(deps, await known(await worktreeOf(store, sessionId)), sessionId, by),
    capture: async (sessionId, folder) => {
      const tree = await known(await worktreeOf(store, sessionId));
      await refuseBusy(store, tree);
      return { tree, captured: await worktrees.capture(tree.id, folder) };
    },
    offer: async (sessionId, from, commit) => worktrees.offer(await worktreeOf(store, sessionId), from, commit),
    remove: async (id, by) => take(await known(id), by, { evenMissing: true }),
    resolve: worktrees.resolve,
    live: async (sessionId, tip) => worktrees.live(await worktreeOf(store, sessionId), tip),
    changes: async (sessionId, wish) => worktrees.changes(await worktreeOf(store, sessionId), wish),
    discard: async (sessionId, by) =>
      take(await known(await worktreeOf(store, sessionId)), by, { evenMissing: true, evenWork: true }),
    collect: async (by) => {
      const events: RecordedEvent[] = [];
      for (const tree of await shown(await worktrees.list())) {
        // Only the first removal carries the caller's call; a call is recorded once.
        const each = events.length === 0 ? by : { ...by, call: null };
        const gone = await take(tree, each).catch((thrown: unknown) => {
          const { code } = toNomosError(thrown);
          if (code === "worktree_has_work" || code === "worktree_in_use") return [];
          throw thrown;
        });
        events.push(...gone);
      }
      return events;
    },
    sweep: async () => {
      const isRemoved = async (id: string): Promise<boolean> => {
        return (await ownerOf(id))?.worktree === null;
      };
      await worktrees.sweep(isRemoved, (path, reason) =>
        log("a worktree could not be moved back", { path, reason: String(reason) }),
      );
      for (const { id } of await worktrees.list()) {
        if ((await ownerOf(id)) !== null) continue;
        await dropUnowned(id).catch((thrown: unknown) =>
          log("a worktree without a session could not be removed", { id, reason: String(thrown) }),
        );
      }
    },
  };
}

function made({ id, path, branch, base, repository, cwd }: Worktree): MadeTree {
  const where = { worktreeId: id, path, branch, base, repository: repository.root ?? repository.gitDir };
  return { cwd, root: path, facts: [fact("worktree.created@1", where)] };
}

/** Living sessions whose directory lies in a worktree. */
async function livingIn(folder: string, store: Store): Promise<readonly SessionRow[]> {
  const found: SessionRow[] = [];
  for await (const row of sessionRows(store, { alive: true, shown: true }))
    if (isInside(folder, row.cwd)) found.push(row);
  return found;
}

/** A stream must start with its spec; the worktree's facts follow directly. */
export function withTree(decision: Decision, tree: MadeTree | null): Decision {
  if (tree === null || "refused" in decision) return decision;
  return [...decision.slice(0, 1), ...tree.facts, ...decision.slice(1)];
}
