import { join } from "node:path";
import { readGitConfig } from "../../git/config-file.ts";
import type { TreeDifference } from "../../git/tree-diff.ts";
import type { Found } from "../../worktrees/apply/take-file.ts";
import { filtersOf } from "../attributes.ts";
import { emptyIndex, refreshIndex, takeIndex } from "./checkout-index.ts";
import type { CheckoutMove, Moved } from "./checkout-move.ts";
import { headOf } from "./checkouts.ts";
import { tipIn } from "./move-ref.ts";

const STATUS_TIMEOUT_MS = 120_000;
const SUBMODULE = "160000";

interface Planned {
  readonly changes: readonly TreeDifference[];
  /** A commit, or the empty tree. */
  readonly from: string;
  readonly indexFile: string;
}

/** Why the checkout must not change now; null when it may. */
export async function whyNot(move: CheckoutMove, { changes, from, indexFile }: Planned): Promise<Moved | null> {
  const { git, view, repository, checkout, ref } = move;
  const { root, gitDir } = checkout;
  const odd = changes.filter(({ path }) => path.includes("\ufffd"));
  if (odd.length > 0) return inTheWay("names that are no text cannot be written", pathsOf(odd));
  const turned = changes.filter(({ before, after }) => (before?.mode === SUBMODULE) !== (after?.mode === SUBMODULE));
  const kinds = turned.filter(({ before, after }) => before !== null && after !== null);
  if (kinds.length > 0) return inTheWay("a submodule and a file take each other's place", pathsOf(kinds));
  if (await isSparse(move)) return inTheWay(`${root} is a sparse checkout`);
  if (!(await isStill(move))) return { moved: false, why: "tip", words: "the branch moved", paths: [] };
  if (!(await takeIndex(view, checkout, indexFile))) {
    if (ref.from !== null) return inTheWay(`${root} has no index`);
    await emptyIndex(view, indexFile);
  }
  // What the person told git not to look at is theirs all the same.
  const known = changes.filter(({ before }) => before !== null).map(({ path }) => `${path}\0`);
  const input = known.join("");
  for (const flag of known.length === 0 ? [] : ["--no-assume-unchanged", "--no-skip-worktree"])
    await view.git.run(["update-index", flag, "-z", "--stdin"], { indexFile, workTree: root, input });
  await refreshIndex(view, indexFile, root);
  const unmerged = await unmergedPaths(move, indexFile);
  if (unmerged.length > 0) return inTheWay(`conflicts in ${root} are not resolved`, unmerged);
  const dirty = await changedByPerson(move, { changes, from, indexFile });
  if (dirty.length > 0) {
    // A file as new as the index is told by its contents, and those only the person's filter can compare.
    const isUnclear = (await filteredPaths(move, from, dirty)).length === dirty.length;
    const words = isUnclear ? `only \`git status\` in ${root}, which runs filters, can tell what changed` : null;
    return inTheWay(words ?? `${root} has changes that are not committed`, dirty);
  }
  const filtered = await filteredPaths(move, ref.to, pathsOf(changes));
  if (filtered.length > 0) return inTheWay(`git needs a filter to write files in ${root}`, filtered);
  return (await headOf(git, repository, gitDir)) === `refs/heads/${ref.branch}` ? null : leftIt(root);
}

/** What the person has changed, staged or not; for a light move only where it would change something itself. */
async function changedByPerson(
  { view, checkout: { root }, isLight = false }: CheckoutMove,
  { changes, from, indexFile }: Planned,
): Promise<readonly string[]> {
  const where = { indexFile, workTree: root, timeoutMs: STATUS_TIMEOUT_MS };
  const list = ["-z", "--name-only", "--ignore-submodules=dirty"];
  const told = await Promise.all([
    view.git.must(["diff-index", "--cached", ...list, from], where),
    view.git.must(["diff-files", "-z", "--name-only", "--ignore-submodules=all"], where),
  ]);
  const dirty = [...new Set(told.join("").split("\0").filter(Boolean))];
  if (!isLight) return dirty;
  const own = new Set(pathsOf(changes).flatMap((path) => [path, ...foldersAbove(path)]));
  const changed = new Set(pathsOf(changes));
  return dirty.filter((path) => own.has(path) || foldersAbove(path).some((folder) => changed.has(folder)));
}

/** Left by a `git stash pop`, for instance: git leaves no other sign of these. */
async function unmergedPaths({ view, isLight = false }: CheckoutMove, indexFile: string): Promise<readonly string[]> {
  if (!isLight) return [];
  const told = (await view.git.must(["ls-files", "-u", "-z"], { indexFile })).toString();
  return [...new Set(told.split("\0").flatMap((line) => line.split("\t").slice(1).join("\t") || []))];
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** Whether HEAD still leads to the branch, and the branch to where it was. */
async function isStill({ git, repository, checkout: { gitDir }, ref }: CheckoutMove): Promise<boolean> {
  if ((await headOf(git, repository, gitDir)) !== `refs/heads/${ref.branch}`) return false;
  return (await tipIn(git, { gitDir, branch: ref.branch })) === ref.from;
}

async function isSparse({ git, repository, checkout }: CheckoutMove): Promise<boolean> {
  const own = await readGitConfig(git, join(checkout.gitDir, "config.worktree"));
  return [own, repository.config].some((config) => config.get("core.sparsecheckout") === "true");
}

/** Paths that a filter of the person's would convert, by the attributes of a commit. */
async function filteredPaths(
  { view, filters }: CheckoutMove,
  commit: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  if (filters.length === 0 || paths.length === 0) return [];
  const all = await filtersOf(view, commit, paths);
  return paths.filter((path) => filters.includes(all.get(path) ?? ""));
}

/** Paths that are new on the branch and taken here by something that git does not know. */
export function unknownInTheWay(
  changes: readonly TreeDifference[],
  found: ReadonlyMap<string, Found>,
): readonly string[] {
  const gone = pathsOf(changes.filter(({ after }) => after === null));
  const goes = new Set(gone);
  return pathsOf(changes.filter(({ before }) => before === null)).filter((path) => {
    const there = found.get(path) ?? { kind: "absent" };
    if (there.kind === "absent") return false;
    // A file makes room for a folder, or a folder for a file.
    if (there.kind === "blocked") return !goes.has(there.by);
    return !(there.kind === "folder" && gone.some((one) => one.startsWith(`${path}/`)));
  });
}

export function leftIt(root: string): Moved {
  return { moved: false, why: "tip", words: `another branch was checked out in ${root}`, paths: [] };
}

export function inTheWay(words: string, paths: readonly string[] = []): Moved {
  return { moved: false, why: "checkout", words, paths };
}

function pathsOf(changes: readonly TreeDifference[]): readonly string[] {
  return changes.map(({ path }) => path);
}
