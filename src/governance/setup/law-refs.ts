import type { RepositoryGit } from "../../host/index.ts";

/** What a clone holds of tickets beside their files: `refs/nomos/<kind>/<ticket>`. */
export interface LawRef {
  readonly name: string;
  readonly commit: string;
}

const REFS_MS = { timeoutMs: 120_000 };

export async function lawRefs(git: RepositoryGit): Promise<readonly LawRef[]> {
  const told = await git.text(["for-each-ref", "--format=%(objectname) %(refname)", "refs/nomos/"], REFS_MS);
  return told
    .split("\n")
    .filter(Boolean)
    .map((line) => ({ commit: line.slice(0, line.indexOf(" ")), name: line.slice(line.indexOf(" ") + 1) }));
}

/** All or none: one that was moved meanwhile keeps all. */
export async function dropRefs(git: RepositoryGit, refs: readonly LawRef[]): Promise<void> {
  if (refs.length === 0) return;
  const input = refs.map(({ name, commit }) => `delete ${name}\0${commit}\0`).join("");
  await git.must(["update-ref", "-z", "--stdin"], { input, ...REFS_MS });
}
