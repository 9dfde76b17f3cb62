import type { RepositoryGit } from "../../host/index.ts";

/** What a clone holds of tickets beside their files: `refs/nomos/<kind>/<ticket>`, and its leases as ExoProtocol reads them. */
export interface LawRef {
  readonly name: string;
  readonly commit: string;
}

const REFS_MS = { timeoutMs: 120_000 };

export async function lawRefs(git: RepositoryGit): Promise<readonly LawRef[]> {
  const told = await git.text(["for-each-ref", "--format=%(objectname) %(refname)", OURS, THEIRS], REFS_MS);
  const all = told
    .split("\n")
    .filter(Boolean)
    .map((line) => ({ commit: line.slice(0, line.indexOf(" ")), name: line.slice(line.indexOf(" ") + 1) }));
  const ours = new Map(all.map(({ name, commit }) => [name, commit]));
  // Only what Nomos wrote there.
  return all.filter(
    ({ name, commit }) => name.startsWith(OURS) || ours.get(`${OURS}leases/${name.slice(THEIRS.length)}`) === commit,
  );
}

const OURS = "refs/nomos/";
const THEIRS = "refs/exoprotocol/locks/";

/** All or none: one that was moved meanwhile keeps all. */
export async function dropRefs(git: RepositoryGit, refs: readonly LawRef[]): Promise<void> {
  if (refs.length === 0) return;
  const input = refs.map(({ name, commit }) => `delete ${name}\0${commit}\0`).join("");
  await git.must(["update-ref", "-z", "--stdin"], { input, ...REFS_MS });
}
