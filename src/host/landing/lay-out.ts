import { copyFile, lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeGitConfig } from "../git/config-file.ts";
import type { Repository } from "../git/find-repository.ts";
import { alternates, formatSections, type RepositoryView } from "../git/repository-view.ts";
import { type CarryRules, carryFiles } from "../worktrees/carry-files.ts";
import { lookAt } from "./look-at-file.ts";

export interface LaidOut {
  readonly tree: string;
  /** Object directories that git in the tree reads. */
  readonly objectDirs: readonly string[];
}

const LAY_OUT_TIMEOUT_MS = 600_000;
/** Making files is most of the time that a landing takes beside its checks. */
const IN_PARALLEL = ["checkout.workers=4", "checkout.thresholdForParallelism=500"] as const;

/**
 * The files of a commit in a folder of their own, for checks: with a git dir that says what a commit on the branch would
 * say, and with the person's carried files (`node_modules`). Nothing here leads back to the person's repository but
 * objects, which are read only.
 */
export async function layOut(
  {
    view,
    repository,
    carry,
  }: { readonly view: RepositoryView; readonly repository: Repository; readonly carry: CarryRules },
  { branch, tip, commit }: { readonly branch: string; readonly tip: string; readonly commit: string },
  folder: string,
): Promise<LaidOut> {
  const tree = join(folder, "tree");
  const gitDir = join(tree, ".git");
  await mkdir(join(gitDir, "objects", "info"), { recursive: true, mode: 0o700 });
  for (const name of ["objects/pack", "refs/heads", "refs/tags", "info"])
    await mkdir(join(gitDir, name), { recursive: true });
  // Without it, git would look for commits that a shallow clone does not have.
  const shallow = join(view.gitDir, "shallow");
  if ((await lstat(shallow).catch(() => null)) !== null) await copyFile(shallow, join(gitDir, "shallow"));
  await packNew(view, tip, commit, join(gitDir, "objects", "pack"));
  const { objectDirs } = repository;
  await writeFile(join(gitDir, "objects", "info", "alternates"), alternates(objectDirs));
  const author = {
    section: "user",
    values: [
      ["name", "Nomos"],
      ["email", "nomos@localhost"],
    ],
  } as const;
  await writeFile(
    join(gitDir, "config"),
    writeGitConfig([...formatSections({ ...repository, refFormat: "files" }), author]),
  );
  await writeFile(join(gitDir, "HEAD"), `ref: refs/heads/${branch}\n`);
  await mkdir(join(gitDir, "refs", "heads", ...branch.split("/").slice(0, -1)), { recursive: true });
  await writeFile(join(gitDir, "refs", "heads", ...branch.split("/")), `${tip}\n`);
  const indexFile = join(gitDir, "index");
  const { git } = view;
  await git.must(["read-tree", commit], { indexFile });
  await git.must(["checkout-index", "-a", "-f", "-q", "-u"], {
    indexFile,
    workTree: tree,
    timeoutMs: LAY_OUT_TIMEOUT_MS,
    settings: IN_PARALLEL,
  });
  if (repository.root !== null) await carryFiles({ view, from: repository.root, to: tree, indexFile }, carry);
  // Kept outside of the tree: what a check did to the files is seen by comparing with it.
  await copyFile(indexFile, join(folder, "index"));
  return { tree, objectDirs };
}

async function packNew({ git }: RepositoryView, tip: string, commit: string, packs: string): Promise<void> {
  const input = `${commit}\n^${tip}\n`;
  await git.must(["pack-objects", "-q", "--revs", join(packs, "pack")], { input, timeoutMs: LAY_OUT_TIMEOUT_MS });
}

/** Tracked files that are no longer as they were laid out. The index that a check can write is not asked. */
export async function changedByCheck({ git }: RepositoryView, folder: string): Promise<readonly string[]> {
  const tree = join(folder, "tree");
  const where = { indexFile: join(folder, "index"), workTree: tree, timeoutMs: LAY_OUT_TIMEOUT_MS };
  // Files that were only touched are the same files.
  await git.run(["update-index", "-q", "--refresh"], where);
  const told = await git.must(["diff-files", "-z", "--name-only", "--ignore-submodules=all"], where);
  const paths = told.toString().split("\0").filter(Boolean);
  if (paths.length === 0) return [];
  // Stored with line ends that its attributes forbid, a file counts as changed right after it was laid out.
  const again = join(folder, "again");
  const empty = join(again, "attributes");
  await mkdir(empty, { recursive: true });
  await git.run(["checkout-index", "-f", "-q", "-z", "--stdin", `--prefix=${join(again, "files")}/`], {
    ...{ ...where, workTree: empty },
    input: paths.map((path) => `${path}\0`).join(""),
  });
  const changed: string[] = [];
  for (const path of paths) if (!(await isSame(tree, join(again, "files"), path))) changed.push(path);
  return changed;
}

async function isSame(tree: string, laid: string, path: string): Promise<boolean> {
  const was = await lookAt(laid, path);
  if (was === null || was === "other") return false;
  const now = await lookAt(tree, path, was.bytes);
  return now !== null && now !== "other" && now.mode === was.mode && now.sha256 === was.sha256;
}
