import { collidedFiles, FILES_MAX, mergePair } from "./merge/merge-pair.ts";
import type { Ground } from "./radar-ground.ts";
import type { BaseReport, PairReport } from "./radar-messages.ts";
import { isLanded, originOf, type RadarTree } from "./radar-tree.ts";
import { inArguments } from "./take-changes.ts";

/** Merges the work of two trees as of their last looks. */
export async function comparePair(a: RadarTree, b: RadarTree, ground: Ground): Promise<PairReport> {
  const repository = repositoryOf(a);
  const because = isLanded(a) || isLanded(b) ? ("landed" as const) : ("resolved" as const);
  const clean: PairReport = { what: "pair", a: a.id, b: b.id, repository, files: [], more: 0, because };
  if (a.commit === null || b.commit === null || a.commit === b.commit) return clean;
  const merged = await mergePair(ground.view, a.commit, b.commit);
  // Only what both have changed is theirs: their bases may differ as well.
  const counts = (paths: readonly string[], ids: readonly (string | null)[]) =>
    [a, b].every((tree) => paths.some((path) => isOwn(tree, path)) || holds(tree, ids));
  const isLarge = (path: string) => [a, b].some(({ changes }) => changes.get(path)?.isLarge === true);
  return { ...clean, ...(await collidedFiles(ground.view, merged, counts, isLarge)) };
}

/** Compares a tree with the branch that it came from. */
export async function compareBase(tree: RadarTree, ground: Ground, tip: string | null): Promise<BaseReport> {
  const { branch: name, record, changes, commit } = tree;
  const because = isLanded(tree) ? ("landed" as const) : ("resolved" as const);
  const none = { what: "base", tree: tree.id, repository: repositoryOf(tree), files: [], more: 0, because } as const;
  const base = originOf(record);
  if (name === null || tip === null || base === null || tip === base || because === "landed")
    return { ...none, branch: null };
  const { git } = ground.view;
  const isNewer = (await git.run(["merge-base", "--is-ancestor", base, tip])).exitCode === 0;
  // A branch that was moved back, or elsewhere, is a stale base too; how far cannot be counted.
  const behind = isNewer ? Number(await git.text(["rev-list", "--count", `${base}..${tip}`])) : null;
  const branch = { name, base, tip, behind };
  const own = [...changes.keys()].filter((path) => isOwn(tree, path));
  if (own.length === 0 || commit === null) return { ...none, branch };
  const moved: string[] = [];
  for (const some of inArguments(own)) {
    const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", base, tip, "--", ...some];
    moved.push(...(await git.must(args)).toString().split("\0").filter(Boolean));
  }
  if (moved.length === 0) return { ...none, branch };
  const merged = await mergePair(ground.view, commit, tip);
  const both = new Set(moved);
  const counts = (paths: readonly string[]) => paths.some((path) => isOwn(tree, path) || both.has(path));
  const { files, more } = await collidedFiles(
    ground.view,
    merged,
    counts,
    (path) => changes.get(path)?.isLarge === true,
  );
  const told = new Set(files.map(({ path }) => path));
  const clean = moved.filter((path) => !told.has(path)).map((path) => ({ path, kind: "moved" as const }));
  const all = [...files, ...clean];
  return { ...none, branch, files: all.slice(0, FILES_MAX), more: more + Math.max(0, all.length - FILES_MAX) };
}

/** Changed by this tree itself, also inside of a folder that it removed or made; not what its branch holds already. */
function isOwn({ changes, landed, paths }: RadarTree, path: string): boolean {
  return (changes.has(path) && !landed.paths.has(path)) || (!changes.has(path) && paths.meets(path));
}

/** Git tells of a renamed file by its new name, which is no path of the side that changed it under the old one. */
function holds({ changes, landed }: RadarTree, ids: readonly (string | null)[]): boolean {
  return [...changes.values()].some(
    ({ path, entry }) => entry !== null && ids.includes(entry.id) && !landed.paths.has(path),
  );
}

function repositoryOf({ record: { repository } }: RadarTree): string {
  return repository.root ?? repository.gitDir;
}
