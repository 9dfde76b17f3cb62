import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readlink } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { judgeChange } from "../../kernel/index.ts";
import { errno } from "../errno.ts";
import type { RepositoryView } from "../git/repository-view.ts";
import { isInside } from "../path-inside.ts";
import { runTool } from "./run-tool.ts";
import type { Carried, WorktreeRecord } from "./worktree-record.ts";

/** What goes along although git does not know it. A pattern without a slash means a name at any depth. */
export interface CarryRules {
  readonly patterns: readonly string[];
  readonly bytesMax: number;
}

export interface CarryScene {
  readonly view: RepositoryView;
  /** The user's files, and the new tree's. */
  readonly from: string;
  readonly to: string;
  /** With the files of the base, so that git can tell what it does not know. */
  readonly indexFile: string;
}

/** Always a copy (a clone where the file system can): never a link through which the user's own files could be written. */
export async function carryFiles(
  scene: CarryScene,
  { patterns, bytesMax }: CarryRules,
): Promise<Pick<WorktreeRecord, "carried" | "notCarried">> {
  const carried: Carried[] = [];
  const notCarried: { path: string; reason: string }[] = [];
  const wanted = (await unknownToGit(scene)).filter((path) => isCarried(path, patterns));
  for (const path of wanted.slice(0, CARRIED_MAX)) {
    const reason = await carryOne(scene, path, bytesMax);
    if (reason === null) carried.push(await described(scene.to, path));
    else notCarried.push({ path, reason });
  }
  return { carried, notCarried };
}

const CARRIED_MAX = 200;
const COMPARED_FILES_MAX = 1000;

/** A folder that whoever made it can make again, however small it is. */
export const REBUILT = "node_modules";

/** So that a change is seen later: of a file its bytes, of a folder that is not too large all of its files. */
async function described(tree: string, path: string): Promise<Carried> {
  const sha256 = await hashFile(join(tree, path));
  if (sha256 !== null || path.split("/").includes(REBUILT)) return { path, sha256 };
  const inside = ["(", "-type", "f", "-o", "-type", "l", ")", "-printf", "%P\\0"];
  const listed = (await runTool("find", [join(tree, path), ...inside])).toString().split("\0").filter(Boolean);
  if (listed.length > COMPARED_FILES_MAX) return { path, sha256 };
  const files: { path: string; sha256: string | null }[] = [];
  for (const name of listed) files.push({ path: `${path}/${name}`, sha256: await fingerprint(join(tree, path, name)) });
  return { path, sha256, files };
}

/** Files, and whole folders by one name. Names that are no text are left where they are. */
async function unknownToGit({ view, from, indexFile }: CarryScene): Promise<readonly string[]> {
  const listed = await view.git.must(["ls-files", "--others", "--directory", "-z"], { workTree: from, indexFile });
  return listed
    .toString()
    .split("\0")
    .filter((path) => path !== "" && !path.includes("\ufffd"))
    .map((path) => path.replace(/\/$/, ""));
}

export function isCarried(path: string, patterns: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const allows = (pattern: string, what: string) =>
    judgeChange(what, { allow: [pattern], deny: [] }).verdict === "allow";
  return patterns.some((pattern) => allows(pattern, pattern.includes("/") ? path : name));
}

/** Null, or what keeps it from being carried. */
async function carryOne({ from, to }: CarryScene, path: string, bytesMax: number): Promise<string | null> {
  const source = join(from, path);
  const target = join(to, path);
  const found = await lstat(source);
  if (found.isSymbolicLink()) return "it is a link";
  if (!found.isFile() && !found.isDirectory()) return "it is no file";
  const bytes = Number.parseInt((await runTool("du", ["--summarize", "--bytes", "--", source])).toString(), 10);
  if (bytes > bytesMax) return `it has ${bytes} bytes, and ${bytesMax} may be carried`;
  await mkdir(dirname(target), { recursive: true });
  await runTool("cp", ["--archive", "--reflink=auto", "--no-target-directory", "--", source, target]);
  if (found.isDirectory()) await dropLinksOut(target, to);
  return null;
}

/** A link of a carried folder that leads out of the tree could lead back into the user's. */
async function dropLinksOut(folder: string, tree: string): Promise<void> {
  const links = (await runTool("find", [folder, "-type", "l", "-print0"])).toString().split("\0").filter(Boolean);
  const leadsOut = async (link: string): Promise<boolean> => {
    const to = await readlink(link);
    return isAbsolute(to) || !isInside(tree, resolve(dirname(link), to));
  };
  const judged = await Promise.all(links.map(async (link) => ({ link, out: await leadsOut(link) })));
  const out = judged.filter((one) => one.out).map(({ link }) => link);
  if (out.length > 0) await runTool("rm", ["-f", "--", ...out]);
}

/** Null for what is no regular file, or not there. Never waits and never follows a link. */
async function hashFile(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(orNothing);
  if (file === null) return null;
  try {
    if (!(await file.stat()).isFile()) return null;
    const hash = createHash("sha256");
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk);
    return hash.digest("hex");
  } finally {
    await file.close();
  }
}

/** Of a file or a link; null for anything else. */
export async function fingerprint(path: string): Promise<string | null> {
  const found = await lstat(path).catch(orNothing);
  return found?.isSymbolicLink() === true ? `link:${await readlink(path)}` : hashFile(path);
}

function orNothing(thrown: unknown): null {
  if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(errno(thrown) ?? "")) return null;
  throw thrown;
}
