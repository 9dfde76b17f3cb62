import type { GitRunner } from "../git/run-git.ts";

export type Merged =
  | { readonly tree: string }
  /** `marked`: the tree with markers in them. */
  | { readonly conflicts: readonly string[]; readonly marked: string }
  /** They share no commit. */
  | { readonly unrelated: true };

const MERGE_TIMEOUT_MS = 120_000;

/** Merges two commits without touching any file. `attributes`: the folder with the attributes that hold for it. */
export async function mergeTrees(git: GitRunner, ours: string, theirs: string, attributes: string): Promise<Merged> {
  const { exitCode } = await git.run(["merge-base", ours, theirs], { timeoutMs: MERGE_TIMEOUT_MS });
  if (exitCode !== 0) return { unrelated: true };
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs];
  const options = { cwd: attributes, timeoutMs: MERGE_TIMEOUT_MS };
  const answer = await git.run(args, options);
  const [tree = "", ...paths] = answer.stdout.toString().split("\0").filter(Boolean);
  if (answer.exitCode === 0) return { tree };
  if (answer.exitCode === 1) return { conflicts: [...new Set(paths)], marked: tree };
  // Reports git's own words.
  await git.must(args, options);
  return { conflicts: [], marked: tree };
}

/** Applies what `commit` changed against `parent` to `onto`: git of this age takes no merge base, so it gets a commit with one. */
export async function pickOnto(
  git: GitRunner,
  onto: string,
  commit: string,
  parent: string,
  { identity, attributes }: Picking,
): Promise<Merged> {
  const shifted = await git.text(["commit-tree", `${onto}^{tree}`, "-p", parent, "-m", "shifted"], { identity });
  return mergeTrees(git, shifted, commit, attributes);
}

export interface Picking {
  readonly identity: { readonly name: string; readonly email: string };
  readonly attributes: string;
}
