import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Entry, emptyTree, treeDifferences } from "../../git/tree-diff.ts";
import { HostError } from "../../host-error.ts";
import { changedFiles, type Look, nestedRepositories } from "../find-work.ts";
import { indexOfHead, listIndex } from "../head-index.ts";
import { filesInGitlinks, untrackedFiles } from "../left-files.ts";
import { namedObjects } from "../named-objects.ts";
import type { WorktreeRecord } from "../worktree-record.ts";
import { type Found, takeFiles } from "./take-file.ts";

/** One path that differs between the user's commit and the worktree. */
export interface Change {
  readonly path: string;
  /** In the user's commit that the worktree was made from. */
  readonly base: Entry | null;
  /** In the worktree, as its files are now. */
  readonly theirs: Entry | null;
}

export interface SessionChanges {
  /** The files as they are now, stored in the view. */
  readonly tree: string;
  /** The worktree's commit; null when it has none. */
  readonly head: string | null;
  readonly changes: readonly Change[];
  /** Repositories inside the worktree. Their files are not looked at. */
  readonly nested: readonly string[];
  /** What git would not ignore and `tree` does not hold: those of `nested` with such files, files in a submodule's place. */
  readonly omitted: readonly string[];
}

/**
 * What the files of a worktree are now, committed or not, against the user's commit. Its index and settings are the
 * agent's and are not used; files that the user's rules ignore are left out unless a commit holds them.
 */
export async function sessionChanges(look: Look): Promise<SessionChanges> {
  const { view, place, record, own, bounds } = look;
  const { git } = view;
  const { commit } = await namedObjects(git);
  const index = await indexOfHead(git, place, record, commit, { indexFile: join(own, "index"), bounds });
  const inside = await nestedRepositories(place.tree);
  const nested = inside.filter((folder) => !inside.some((outer) => folder.startsWith(`${outer}/`)));
  const indexFile = join(own, "index-apply");
  await copyFile(index.file, indexFile);

  const omitted = new Set<string>();
  const take = async (paths: readonly string[], copies: string): Promise<void> => {
    const wanted = paths.filter((path) => {
      const outer = nested.find((folder) => path.startsWith(`${folder}/`));
      if (outer !== undefined) omitted.add(outer);
      return outer === undefined;
    });
    const odd = wanted.find((path) => path.includes("\ufffd"));
    if (odd !== undefined) throw new HostError("repository_invalid", `${odd} has a name that is no text`, RENAME);
    await mkdir(copies);
    const found = await takeFiles({ root: place.tree, view, scratch: copies, bytesMax: bounds.bytesMax }, wanted);
    // Names that git refuses, such as `.git/config` or `../x`, end here.
    const input = indexLines(found, record.objectFormat);
    await git.must(["update-index", "-z", "--index-info"], { indexFile, input });
  };
  await take(await changedFiles(view, place, index), join(own, "changed"));
  // After the changed ones: git does not list the files of a folder where its index still has a file.
  const left = { commit: null, file: indexFile };
  const rules = { listing: listIndex(git, indexFile), scratch: own, rulesFrom: record.userBase ?? null };
  const asked = { view, tree: place.tree, index: left, ...rules, enough: bounds.filesMax };
  await take(await untrackedFiles(asked), join(own, "untracked"));
  const gitlinks = (await listIndex(git, index.file).gitlinks()).filter((path) => !nested.includes(path));
  for (const path of await filesInGitlinks(place.tree, gitlinks)) omitted.add(path);
  const tree = await git.text(["write-tree"], { indexFile });
  return { tree, head: commit, changes: await difference(look, tree), nested, omitted: [...omitted] };
}

const RENAME = { remedy: "rename or delete it in the worktree" };

/** Removals first: a file may stand where a folder was. */
function indexLines(found: ReadonlyMap<string, Found>, objectFormat: WorktreeRecord["objectFormat"]): string {
  const none = "0".repeat(objectFormat === "sha256" ? 64 : 40);
  const gone = [...found].filter(([, one]) => one.kind !== "taken").map(([path]) => `0 ${none}\t${path}\0`);
  const there = [...found].flatMap(([path, one]) =>
    one.kind === "taken" ? [`${one.entry.mode} ${one.entry.id}\t${path}\0`] : [],
  );
  return [...gone, ...there].join("");
}

async function difference({ view: { git }, record, bounds }: Look, tree: string): Promise<readonly Change[]> {
  const base = record.userBase ?? record.base;
  const before = base === null ? await emptyTree(git) : `${base}^{tree}`;
  const found = await treeDifferences(git, before, tree);
  if (found.length > bounds.filesMax) throw tooMany(bounds.filesMax);
  return found.map(({ path, before: was, after }) => ({ path, base: was, theirs: after }));
}

function tooMany(filesMax: number): HostError {
  return new HostError("tree_too_large", `more than ${filesMax} files differ`, {
    remedy: "raise `worktree.filesMax`, or take the work over with `git fetch`",
    details: { limit: "worktree.filesMax", max: filesMax },
  });
}
