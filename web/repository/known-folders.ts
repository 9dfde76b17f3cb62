interface Known {
  readonly governed: readonly { readonly root: string | null; readonly state: string }[];
  readonly worktrees: readonly { readonly repository: string; readonly cwd: string; readonly path: string }[];
  readonly workspaces: readonly { readonly path: string }[];
  readonly sessions: readonly { readonly cwd: string }[];
}

const SHOWN_MAX = 100;

/** Folders that a person may mean, those with a law first; a worktree stands for its repository. */
export function knownFolders({ governed, worktrees, workspaces, sessions }: Known): readonly string[] {
  const made = new Set(worktrees.flatMap(({ cwd, path }) => [cwd, path]));
  const folders = [
    ...governed.flatMap(({ root, state }) => (root === null || state !== "governed" ? [] : [root])),
    ...worktrees.map(({ repository }) => repository),
    ...workspaces.map(({ path }) => path),
    ...sessions.map(({ cwd }) => cwd).filter((cwd) => !made.has(cwd)),
  ];
  return [...new Set(folders)].slice(0, SHOWN_MAX);
}
