import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryView } from "../git/repository-view.ts";
import { emptyTree } from "../git/tree-diff.ts";
import { type ChangedFile, countedFiles } from "../worktrees/apply/worktree-changes.ts";
import { type HeadIndex, listIndex } from "../worktrees/head-index.ts";
import { untrackedFiles } from "../worktrees/left-files.ts";
import { readFacts } from "./file-facts.ts";
import type { Standing } from "./standing.ts";

/** What work changes against a branch, committed or not. What is on the branch already does not count. */
export interface LiveChanges extends Pick<Standing, "base" | "head" | "ahead" | "behind"> {
  /** Sorted by path. */
  readonly files: readonly ChangedFile[];
  /** There are more new files than were counted. */
  readonly isCut: boolean;
}

export interface LivePlace {
  /** Sees the objects of the work and of the branch. */
  readonly view: RepositoryView;
  /** By real path. */
  readonly tree: string;
  /** In which no file is marked as unchanged. It holds what HEAD tracks, or what `base` does. */
  readonly index: HeadIndex;
  /** For files of this look only. */
  readonly own: string;
  readonly standing: Standing;
  readonly objectFormat: "sha1" | "sha256";
}

/** More new files are not counted. */
const NEW_FILES_MAX = 20_000;
const COUNTS = ["diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
const DIFF_TIMEOUT_MS = 60_000;

/** `touched`: tracked files that differ from the common commit, also those that are on the branch already. */
export async function liveChanges(place: LivePlace): Promise<LiveChanges & { readonly touched: readonly string[] }> {
  const { view, tree, index, objectFormat } = place;
  const { committed, onBranch, ...standing } = place.standing;
  const before = standing.base ?? (await emptyTree(view.git));
  const searches = [
    view.git.must([...COUNTS, before, "--"], { indexFile: index.file, workTree: tree, timeoutMs: DIFF_TIMEOUT_MS }),
    newFiles(place),
  ] as const;
  // Both use files that are about to be removed.
  await Promise.allSettled(searches);
  const [counted, fresh] = await Promise.all(searches);
  const known = new Map(countedFiles(counted.toString()).map((file) => [file.path, file]));
  const touched = [...known.keys()];
  // A commit may hold files that the index does not know and that are ignored.
  const hidden = index.commit === standing.head ? [] : committed.filter(({ isNew }) => isNew).map(({ path }) => path);
  const facts = await readFacts(tree, [...new Set([...fresh.paths, ...hidden])], objectFormat);
  for (const [path, { lines }] of facts)
    known.set(path, { path, added: lines, removed: known.get(path)?.removed ?? 0 });
  const both = [...known.keys()].filter((path) => onBranch.has(path));
  const now = await readFacts(tree, both, objectFormat);
  for (const path of both) if ((now.get(path)?.id ?? null) === onBranch.get(path)) known.delete(path);
  const files = [...known.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { ...standing, files, isCut: fresh.isCut, touched };
}

async function newFiles({ view, tree, index, own, standing }: LivePlace) {
  // Of a large index only the ignore files are asked for.
  const listing = { ...listIndex(view.git, index.file), lines: () => ignoreFiles(view, index.file) };
  // The ignore rules are those of the branch: work could hide itself behind its own. Mostly they are the same.
  const isOwn = standing.committed.some(({ path }) => /(?:^|\/)\.gitignore$/.test(path));
  const rulesFrom = isOwn || standing.base === null ? standing.base : index.commit;
  const asked = { view, tree, index, listing, scratch: own, rulesFrom, enough: NEW_FILES_MAX + 1 };
  const found = await untrackedFiles(asked);
  const paths = await withoutNested(tree, found.slice(0, NEW_FILES_MAX));
  return { paths, isCut: found.length > NEW_FILES_MAX };
}

async function ignoreFiles({ git }: RepositoryView, indexFile: string): Promise<readonly string[]> {
  const asked = ["--no-literal-pathspecs", "ls-files", "--stage", "-z", "--", ":(glob)**/.gitignore"];
  return (await git.must(asked, { indexFile })).toString("latin1").split("\0").filter(Boolean);
}

/** A repository inside of the tree counts as one file: its files are its own. */
async function withoutNested(tree: string, paths: readonly string[]): Promise<readonly string[]> {
  const known = new Map<string, Promise<boolean>>();
  const isRepository = (folder: string): Promise<boolean> => {
    const found = known.get(folder) ?? lstat(join(tree, folder, ".git")).then(...YES_NO);
    known.set(folder, found);
    return found;
  };
  const kept = new Set<string>();
  for (const path of paths) {
    const folders = path.split("/").slice(0, -1);
    const outer = folders.map((_, at) => folders.slice(0, at + 1).join("/"));
    const inside: boolean[] = [];
    for (const folder of outer) inside.push(await isRepository(folder));
    kept.add(outer[inside.indexOf(true)] ?? path);
  }
  return [...kept];
}

const YES_NO = [() => true, () => false] as const;
