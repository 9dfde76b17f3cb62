import { isInside } from "../../host/index.ts";
import type { SessionRow } from "../../kernel/index.ts";
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

/** The newest ones first, up to `treesMax`. */
export async function liveTrees(store: Pick<Store, "rows">, folder: string, treesMax: number): Promise<LiveTrees> {
  const sessions = new Map<string, SessionRow>();
  const trees = new Map<string, string>();
  for await (const row of sessionRows(store, { alive: true, shown: true })) {
    if (trees.size === treesMax) break;
    if (!isInside(folder, row.cwd) || row.cwd === folder) continue;
    const tree = row.cwd.slice(folder.length + 1).split("/")[0] ?? "";
    const others = [...trees.values()];
    if (tree === "" || others.includes(tree)) continue;
    sessions.set(row.id, row);
    trees.set(row.id, tree);
  }
  const back = new Map([...trees].map(([session, tree]) => [tree, session]));
  return {
    trees: [...trees.values()],
    sessionIn: (tree) => back.get(tree) ?? null,
    treeOf: (sessionId) => trees.get(sessionId) ?? null,
    nameOf: (sessionId) => sessions.get(sessionId)?.name ?? sessionId,
  };
}
