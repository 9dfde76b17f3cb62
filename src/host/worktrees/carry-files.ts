import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { judgeChange } from "../../domains/index.ts";
import { errno } from "../errno.ts";
import { copyFolder, copyPlain, TooMuch } from "../files/copy-plain.ts";
import { type HeldFolder, holdFolder } from "../files/held-folder.ts";
import { isInside } from "../files/path-inside.ts";
import type { RepositoryView } from "../git/repository-view.ts";
import { removeTree } from "../trash/remove-tree.ts";
import { makeFolders } from "./make-folders.ts";
import { orFailed, runTool } from "./run-tool.ts";
import type { Carried, WorktreeRecord } from "./worktree-record.ts";

/** Which untracked files to carry. A pattern without a slash matches a name at any depth. */
export interface CarryRules {
  readonly patterns: readonly string[];
  readonly bytesMax: number;
}

export interface CarryScene {
  readonly view: RepositoryView;
  /** Copies from the user's files into the new tree, `to`. */
  readonly from: string;
  readonly to: string;
  /** Holds the files of the base, so that git can list the untracked ones. */
  readonly indexFile: string;
}

/**
 * Copies the files (cloned where the file system can), never links: writing through a link would change the user's own
 * files.
 */
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
const CARRIED_ENTRIES_MAX = 2_000_000;
const LOOK_TIMEOUT_MS = 60_000;
const COMPARED_FILES_MAX = 1000;

/** A folder that can be rebuilt, whatever its size. */
export const REBUILT = "node_modules";

/** Records hashes so that changes can be found later: of a file, or of every file of a folder that is not too large. */
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

/** Untracked files, and whole folders by one name. Names that are not valid text are not carried. */
async function unknownToGit({ view, from, indexFile }: CarryScene): Promise<readonly string[]> {
  const listed = await view.git.must(["ls-files", "--others", "--directory", "-z"], {
    workTree: from,
    indexFile,
    timeoutMs: LOOK_TIMEOUT_MS,
  });
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

/**
 * Null, or the reason why it was not carried. Reads through handles, because a session may work in the user's files
 * meanwhile.
 */
async function carryOne({ from, to }: CarryScene, path: string, bytesMax: number): Promise<string | null> {
  const source = join(from, path);
  const target = join(to, path);
  const found = await lstat(source).catch(orNothing);
  if (found === null) return "it went away";
  if (found.isSymbolicLink()) return "it is a link";
  if (!found.isFile() && !found.isDirectory()) return "it is no file";
  // Avoids starting a copy that would be too large. If `du` fails, the copy itself checks the size.
  const told = await runTool("du", ["--summarize", "--bytes", "--", source]).catch(() => "0");
  const bytes = Number.parseInt(told.toString(), 10);
  if (bytes > bytesMax) return `it has ${bytes} bytes, and ${bytesMax} may be carried`;
  if (!(await makeFolders(to, dirname(path)))) return "a link of the base is on the way to it";
  await using folder = await holdFolder(dirname(source));
  const name = source.slice(dirname(source).length + 1);
  const reason = folder === null ? MOVED : await takeOne(folder, name, { target, tree: to, bytesMax });
  if (reason !== null) await removeTree(target);
  return reason;
}

const MOVED = "it was moved, or a link was put on the way to it";

async function takeOne(
  folder: HeldFolder,
  name: string,
  { target, tree, bytesMax }: { readonly target: string; readonly tree: string; readonly bytesMax: number },
): Promise<string | null> {
  // A link out of the tree could lead back into the user's files.
  const keepsLink = (to: string, place: string) => !isAbsolute(to) && isInside(tree, resolve(dirname(place), to));
  try {
    await using inner = await folder.inner(name);
    if (inner !== null) await copyFolder(inner, target, { keepsLink, bytesMax, entriesMax: CARRIED_ENTRIES_MAX });
    else if ((await copyPlain(folder, Buffer.from(name), Buffer.from(target))) !== "taken") return MOVED;
    return null;
  } catch (thrown) {
    if (thrown instanceof TooMuch) return thrown.message;
    if (["EACCES", "EPERM"].includes(errno(thrown) ?? "")) return "it may not be read";
    return orFailed(`carrying ${name}`, thrown);
  }
}

/** Null if it is missing or no regular file. Never blocks and never follows a link. */
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

/** The hash of a file or link; null for anything else. */
export async function fingerprint(path: string): Promise<string | null> {
  const found = await lstat(path).catch(orNothing);
  return found?.isSymbolicLink() === true ? `link:${await readlink(path)}` : hashFile(path);
}

function orNothing(thrown: unknown): null {
  if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(errno(thrown) ?? "")) return null;
  throw thrown;
}
