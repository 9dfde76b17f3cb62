import { isInside } from "../../host/index.ts";
import { SESSIONS, type SessionRow } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { sessionRows } from "../../supervisor/index.ts";

/** Living sessions that work in worktrees, in both directions. */
export interface LiveTrees {
  readonly trees: readonly string[];
  readonly sessionIn: (tree: string) => string | null;
  readonly treeOf: (sessionId: string) => string | null;
  readonly nameOf: (sessionId: string) => string;
}

export const NO_TREES: LiveTrees = {
  trees: [],
  sessionIn: () => null,
  treeOf: () => null,
  nameOf: (sessionId) => sessionId,
};

/** The newest ones first, up to `treesMax`. Each is told to one session: the one it was made for, while that lives. */
export async function liveTrees(
  store: Pick<Store, "row" | "rows">,
  folder: string,
  treesMax: number,
): Promise<LiveTrees> {
  const sessions = new Map<string, SessionRow>();
  const back = new Map<string, string>();
  for await (const row of sessionRows(store, { alive: true, shown: true })) {
    if (back.size === treesMax) break;
    if (!isInside(folder, row.cwd) || row.cwd === folder) continue;
    const tree = row.cwd.slice(folder.length + 1).split("/")[0] ?? "";
    if (tree === "" || back.has(tree)) continue;
    const one = row.id === tree ? row : ((await ownerOf(store, tree)) ?? row);
    sessions.set(one.id, one);
    back.set(tree, one.id);
  }
  const trees = new Map([...back].map(([tree, session]) => [session, tree]));
  return {
    trees: [...back.keys()],
    sessionIn: (tree) => back.get(tree) ?? null,
    treeOf: (sessionId) => trees.get(sessionId) ?? null,
    nameOf: (sessionId) => sessions.get(sessionId)?.name ?? sessionId,
  };
}

/** A worktree has the id of the session that it was made for. Null when that one has ended. */
async function ownerOf(store: Pick<Store, "row">, tree: string): Promise<SessionRow | null> {
  const row = await store.row(SESSIONS, tree);
  return row === null || row.endedAt !== null || row.forgotten ? null : row;
}
