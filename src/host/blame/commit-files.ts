import { readBlobs } from "../git/read-blobs.ts";
import type { GitRunner } from "../git/run-git.ts";
import { type Entry, emptyTree, treeDifferences } from "../git/tree-diff.ts";
import { blobSizes } from "../landing/commit-changes.ts";

/** A file that a commit changed against all of its parents. */
export interface CommittedFile {
  readonly path: string;
  /** The blob, and those that the parents have under this path. */
  readonly id: string;
  readonly parents: readonly string[];
}

const REGULAR = ["100644", "100755"];

/** The files that a commit added or changed. Links and submodules have no lines. */
export async function committedFiles(git: GitRunner, commit: string): Promise<readonly CommittedFile[]> {
  const parents = (await git.text(["rev-parse", `${commit}^@`])).split("\n").filter(Boolean);
  const empty = await emptyTree(git);
  const sides = await Promise.all(
    (parents.length === 0 ? [empty] : parents.map((one) => `${one}^{tree}`)).map((tree) =>
      treeDifferences(git, tree, `${commit}^{tree}`),
    ),
  );
  const [first = [], ...others] = sides;
  const byPath = others.map((side) => new Map(side.map((one) => [one.path, one])));
  const found: CommittedFile[] = [];
  for (const change of first) {
    const { path } = change;
    const all = [change, ...byPath.map((side) => side.get(path))];
    if (change.after === null || !isRegular(change.after) || all.includes(undefined)) continue;
    const before = all.flatMap((one) => (one?.before != null && isRegular(one.before) ? [one.before.id] : []));
    found.push({ path, id: change.after.id, parents: before });
  }
  return found;
}

function isRegular({ mode }: Entry): boolean {
  return REGULAR.includes(mode);
}

/** The blobs of some paths in a tree. */
export async function blobsAt(
  git: GitRunner,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
    const some = paths.slice(at, at + PATHS_AT_ONCE);
    const told = (await git.must(["ls-tree", "-z", "--full-tree", tree, "--", ...some])).toString();
    for (const entry of told.split("\0")) {
      const [, mode = "", id = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      if (REGULAR.includes(mode)) found.set(path, id);
    }
  }
  return found;
}

const PATHS_AT_ONCE = 200;

/** Contents of blobs that are not larger than `bytesMax`. */
export async function smallBlobs(
  git: GitRunner,
  ids: readonly string[],
  bytesMax: number,
): Promise<ReadonlyMap<string, Buffer>> {
  const wanted = [...new Set(ids)];
  const sizes = await blobSizes(
    git,
    wanted.map((id) => ({ mode: "", id })),
  );
  const small = wanted.filter((id) => (sizes.get(id) ?? Number.POSITIVE_INFINITY) <= bytesMax);
  const found = new Map<string, Buffer>();
  await readBlobs({ git }, small, (id, bytes) => {
    if (bytes !== null) found.set(id, Buffer.from(bytes));
  });
  return found;
}
