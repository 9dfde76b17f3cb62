import { join } from "node:path";
import type { OtherBranch } from "../../domains/index.ts";
import { HostError, isInside, type LiveChanges, type Worktree } from "../../host/index.ts";
import { touchedMs } from "./touched.ts";

/** A worktree of a session, which git in the repository does not know. */
export type SessionTree = Pick<Worktree, "id" | "branch" | "path" | "repository" | "createdAt" | "state">;

export interface TreesAsked {
  readonly trees: readonly SessionTree[];
  readonly live: (id: string, tip: string) => Promise<LiveChanges>;
  /** What the work in a worktree is for. */
  readonly about: (id: string) => Promise<Pick<OtherBranch, "ticketId" | "summary">>;
  readonly repository: { readonly commonDir: string };
  /** The worktree that asks. */
  readonly own: string | null;
  readonly tip: string;
}

/** More are not looked at: each takes as long as `git status`, and a session waits for it. */
const TREES_MAX = 8;
const PATHS_MAX = 200;

/** Work in sessions' worktrees that has not landed, committed or not. One that cannot be read is left out. */
export async function treeWork(asked: TreesAsked): Promise<readonly OtherBranch[]> {
  const { trees, repository, own } = asked;
  const others = trees
    .filter(({ id, state }) => id !== own && state === "present")
    .filter((tree) => isInside(repository.commonDir, tree.repository.gitDir))
    .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  const found: OtherBranch[] = [];
  for (const tree of others.slice(0, TREES_MAX)) {
    const work = await workIn(tree, asked).catch((thrown: unknown) => {
      if (thrown instanceof HostError || (thrown instanceof Error && "code" in thrown)) return null;
      throw thrown;
    });
    if (work !== null) found.push(work);
  }
  return found;
}

async function workIn(
  { id, branch, path }: SessionTree,
  { live, about, tip }: TreesAsked,
): Promise<OtherBranch | null> {
  const { files, head } = await live(id, tip);
  if (files.length === 0) return null;
  return {
    ...{ name: branch, commit: head ?? "", ...(await about(id)) },
    paths: files.slice(0, PATHS_MAX).map((file) => file.path),
    more: Math.max(0, files.length - PATHS_MAX),
    atMs: await touchedMs(join(path, ".git"), path, files),
  };
}
