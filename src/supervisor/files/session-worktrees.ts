import { realpath } from "node:fs/promises";
import type { By, Committer } from "../../commit/index.ts";
import { NomosError, toNomosError } from "../../contract/index.ts";
import { type Clock, isInside, type Work, type Worktree, type Worktrees } from "../../host/index.ts";
import {
  type Decision,
  type Fact,
  fact,
  keepWorktree,
  Session,
  type SessionRow,
  type SessionSpec,
  type SessionState,
} from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { sessionRows } from "../life/neighbours.ts";
import { createTreeRemoval, ownerIn, type ShownTree } from "./remove-worktree.ts";
import type { SessionFiles } from "./session-files.ts";

/** A tree of its own for a session: made before it opens, kept or removed after it has ended. */
export interface SessionTrees {
  /** Null for a session that wants none. */
  readonly make: (id: string, spec: SessionSpec, wish: TreeWish) => Promise<MadeTree | null>;
  /** For a fork of a session that has one. */
  readonly makeFork: (id: string, name: string, parent: SessionState) => Promise<MadeTree | null>;
  /** The session did not come to be: nobody worked in its tree. */
  readonly drop: (id: string) => Promise<void>;
  /** The session is over: its tree goes, unless something would be lost. */
  readonly settle: (sessionId: string) => Promise<void>;
  readonly list: () => Promise<readonly ShownTree[]>;
  readonly show: (id: string) => Promise<ShownTree & { readonly work: Work }>;
  /** Refused with `worktree_has_work` or `worktree_in_use` when something would be lost. Nothing else clears one whose folder is missing. */
  readonly remove: (id: string, by: By) => Promise<readonly RecordedEvent[]>;
  /** Every one that nobody works in and that holds no work. */
  readonly collect: (by: By) => Promise<readonly RecordedEvent[]>;
  /** After a crash, before anything runs. */
  readonly sweep: () => Promise<void>;
}

export interface TreeWish {
  readonly worktree?: boolean | undefined;
  readonly scope?: object | undefined;
  readonly base?: string | undefined;
  /** The worktree of a session before. */
  readonly attach?: string | undefined;
}

export interface MadeTree {
  readonly cwd: string;
  /** The top of the tree; `cwd` may lie below it. */
  readonly root: string;
  readonly facts: readonly Fact[];
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
    make: async (id, spec, { worktree, scope, base, attach }) => {
      if (attach !== undefined) {
        const { sessions, state, path, branch, cwd } = await known(attach);
        if (state === "missing") throw new NomosError("worktree_missing", { id: attach, path });
        if (sessions.length > 0) throw new NomosError("worktree_in_use", { id: attach, sessions: [...sessions] });
        // Whoever worked in it before may have left a link on the way: what it leads to is not the worktree.
        if ((await realpath(cwd).catch(() => null)) !== cwd) throw new NomosError("cwd_missing", { cwd });
        return { cwd, root: path, facts: [fact("worktree.attached@1", { worktreeId: attach, path, branch })] };
      }
      if (worktree !== true && scope === undefined) return null;
      const plan = await worktrees.plan({ id, cwd: spec.cwd, name: spec.name, base });
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
    show: async (id) => ({ ...(await known(id)), work: await worktrees.work(id) }),
    remove: async (id, by) => take(await known(id), by, { evenMissing: true }),
    collect: async (by) => {
      const events: RecordedEvent[] = [];
      for (const tree of await shown(await worktrees.list())) {
        // The first one answers for the call.
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

/** The living sessions whose directory lies in some worktree. */
async function livingIn(folder: string, store: Store): Promise<readonly SessionRow[]> {
  const found: SessionRow[] = [];
  for await (const row of sessionRows(store, { alive: true, shown: true }))
    if (isInside(folder, row.cwd)) found.push(row);
  return found;
}

/** A stream's first fact says what the session is; the tree it works in comes directly behind. */
export function withTree(decision: Decision, tree: MadeTree | null): Decision {
  if (tree === null || "refused" in decision) return decision;
  return [...decision.slice(0, 1), ...tree.facts, ...decision.slice(1)];
}
