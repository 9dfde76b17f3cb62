interface Known {
  readonly worktrees: readonly { readonly repository: string; readonly cwd: string; readonly path: string }[];
  readonly workspaces: readonly { readonly path: string }[];
  readonly sessions: readonly { readonly cwd: string }[];
}

const SHOWN_MAX = 100;

/** Folders that a person may mean, without those that Nomos made: a worktree stands for its repository. */
export function knownFolders({ worktrees, workspaces, sessions }: Known): readonly string[] {
  const made = new Set(worktrees.flatMap(({ cwd, path }) => [cwd, path]));
  const folders = [
    ...worktrees.map(({ repository }) => repository),
    ...workspaces.map(({ path }) => path),
    ...sessions.map(({ cwd }) => cwd).filter((cwd) => !made.has(cwd)),
  ];
  return [...new Set(folders)].slice(0, SHOWN_MAX);
}
