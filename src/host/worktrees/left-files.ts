import type { Dirent } from "node:fs";
import { lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "../errno.ts";
import type { RepositoryView } from "../git/repository-view.ts";
import { type HeadIndex, type IndexListing, listIndex } from "./head-index.ts";
import { Unclear } from "./own-objects.ts";

export interface LeftFiles {
  /** Its `info/exclude` holds the user's ignore rules from outside the tree. */
  readonly view: RepositoryView;
  readonly tree: string;
  readonly index: HeadIndex;
  readonly listing: IndexListing;
  readonly scratch: string;
  /** The user's commit whose `.gitignore` files apply; null: none. */
  readonly rulesFrom: string | null;
  /** How many are listed. */
  readonly enough?: number;
}

const ENOUGH = 20;
const LOOKED_MAX = 1_000_000;

/**
 * The first few untracked files that no rule of the user ignores. Ignore files and settings of the agent do not count:
 * they would hide its own work.
 */
export async function untrackedFiles(asked: LeftFiles): Promise<readonly string[]> {
  const { view, tree, index, enough = ENOUGH } = asked;
  // Without any rules. A folder without tracked files appears as one name.
  const flags = ["--others", "--directory", "-z"];
  const listed = await view.git.must(["ls-files", ...flags], { indexFile: index.file, workTree: tree });
  let pending = listed.toString().split("\0").filter(Boolean);
  if (pending.length === 0) return [];
  const rules = await layOutRules(asked);
  const found: string[] = [];
  for (let looked = 0; pending.length > 0 && found.length < enough; ) {
    looked += pending.length;
    if (looked > LOOKED_MAX) throw new Unclear(`more than ${LOOKED_MAX} files in it are not tracked`);
    const disposable = await matchedByRules(view, rules, pending);
    const left = pending.filter((path) => !disposable.has(path));
    found.push(...left.filter((path) => !path.endsWith("/")));
    pending = [];
    for (const folder of left.filter((path) => path.endsWith("/")))
      if (found.length < enough) pending.push(...(await entriesOf(tree, folder)));
  }
  return found.slice(0, enough);
}

/** Makes a tree that holds only the ignore files of the user's commit. */
async function layOutRules({ view, index, listing, scratch, rulesFrom }: LeftFiles): Promise<string> {
  const workTree = join(scratch, "rules");
  await mkdir(workTree);
  if (rulesFrom === null) return workTree;
  const isHead = rulesFrom === index.commit;
  const indexFile = isHead ? index.file : join(scratch, "rules-index");
  if (!isHead) await view.git.must(["read-tree", rulesFrom], { workTree, indexFile });
  const { lines } = isHead ? listing : listIndex(view.git, indexFile);
  const files = (await lines()).filter(isIgnoreFile);
  const input = Buffer.from(files.map((line) => `${line.slice(line.indexOf("\t") + 1)}\0`).join(""), "latin1");
  await view.git.must(["checkout-index", "--quiet", "-z", "--stdin"], { workTree, indexFile, input });
  return workTree;
}

/** Git ignores one that is a link. */
const isIgnoreFile = (line: string): boolean => /^100[0-7]+ [^\t]*\t(.*\/)?\.gitignore$/s.test(line);

/** The paths that the rules ignore. A name that is not valid text is never ignored. */
export async function matchedByRules(
  view: Pick<RepositoryView, "git">,
  workTree: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const asked = paths.filter((path) => !path.includes("\ufffd"));
  const input = asked.map((path) => `./${path}\0`).join("");
  // `check-ignore` rejects literal pathspecs; after `./` nothing is special to it.
  const command = ["--no-literal-pathspecs", "check-ignore", "--no-index", "--verbose", "-z", "--stdin"];
  const { exitCode, stdout, stderr } = await view.git.run(command, { workTree, input });
  if (exitCode > 1) throw new Unclear(`git check-ignore failed: ${stderr.trim()}`);
  // Source, line, pattern, path. A pattern may also be negated.
  const told = stdout.toString().split("\0");
  const covered = new Set<string>();
  for (let at = 0; at + 3 < told.length; at += 4)
    if (told[at + 2]?.startsWith("!") === false) covered.add((told[at + 3] ?? "").slice(2));
  return covered;
}

/** Files and links by name, folders with a slash. Other kinds hold no data; repositories are found elsewhere. */
export async function entriesOf(tree: string, folder: string): Promise<readonly string[]> {
  if (folder.includes("\ufffd")) throw new Unclear(`${folder} has a name that is no text`);
  const entries = await readdir(join(tree, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.name !== ".git").flatMap((entry) => named(folder, entry));
}

function named(folder: string, entry: Dirent): readonly string[] {
  if (entry.isDirectory()) return [`${folder}${entry.name}/`];
  return entry.isFile() || entry.isSymbolicLink() ? [`${folder}${entry.name}`] : [];
}

/** Files where a submodule would be. Git does not look there while the submodule is not initialized. */
export async function filesInGitlinks(tree: string, gitlinks: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of gitlinks) {
    if (path.includes("\ufffd")) throw new Unclear(`${path} has a name that is no text`);
    const there = await lstat(join(tree, path)).catch(orNothing);
    if (there?.isDirectory() === true)
      found.push(...(await readdir(join(tree, path))).map((name) => `${path}/${name}`));
    else if (there !== null) found.push(path);
  }
  return found;
}

function orNothing(thrown: unknown): null {
  if (["ENOENT", "ENOTDIR"].includes(errno(thrown) ?? "")) return null;
  throw thrown;
}
