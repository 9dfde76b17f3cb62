import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, lchown, link, mkdir, open, readFile, rename, rmdir, symlink, unlink } from "node:fs/promises";
import { errno } from "../../errno.ts";
import { type HeldFolder, holdFolder } from "../../files/held-folder.ts";
import { HostError } from "../../host-error.ts";
import type { Step } from "./plan-steps.ts";
import { type Found, inParent, stampOf, statAt } from "./take-file.ts";

/** The beginning of the name of a file that is not in its place yet; a crash may leave one. */
export const UNFINISHED = ".nomos-apply-";

/** A file is no longer as it was when the steps were planned. */
export class ChangedMeanwhile extends Error {
  readonly path: string;
  constructor(path: string) {
    super(`${path} changed meanwhile`);
    this.path = path;
  }
}

/** Rights, attributes or a mount keep a file from being replaced. */
export class Unwritable extends HostError {
  readonly path: string;
  constructor(path: string, cause: unknown) {
    const remedy = "make the file and its folder writable (`ls -ld`, `lsattr -d`), and try again";
    super("worktree_failed", `${path} may not be written`, { remedy, details: { path }, cause });
    this.path = path;
  }
}

/**
 * Does all steps or none: after a failure, what was done is undone, but for files that somebody changed since. Each file
 * is replaced whole, by a rename, and only if it is still the one that was judged. After a crash the next attempt finds
 * what was done and does the rest. `last` follows the last step; if it fails, the steps are undone.
 */
export async function doSteps(
  root: string,
  steps: readonly Step[],
  last: () => Promise<void> = async () => undefined,
): Promise<void> {
  await using held = await holdFolder(root);
  if (held === null) throw gone(root);
  // Deletions first: a file may make room for a folder.
  const deletions = steps.filter(({ after }) => after === null);
  const placed = steps.filter(({ after }) => after !== null);
  const made: string[] = [];
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const step of deletions) undo.push(await doStep(held, step, made));
    // A folder may make room for a file.
    for (const { path } of deletions)
      if (placed.some((step) => path.startsWith(`${step.path}/`))) await removeEmptyFolders(held, path);
    for (const step of placed) undo.push(await doStep(held, step, made));
    await last();
  } catch (thrown) {
    await undoAll(undo);
    for (const folder of made.toReversed()) await removeEmpty(held, folder);
    throw thrown;
  }
  for (const { path } of deletions) await removeEmptyFolders(held, path).catch(() => undefined);
}

/** Removes folders above these paths where nothing is left in them, as git does. */
export async function removeEmptyAbove(root: string, paths: readonly string[]): Promise<void> {
  await using held = await holdFolder(root);
  if (held !== null) for (const path of paths) await removeEmptyFolders(held, path);
}

async function undoAll(undo: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const back of undo.toReversed()) await back().catch((thrown: unknown) => failures.push(thrown));
  if (failures.length === 0) return;
  throw new HostError("worktree_failed", `${failures.length} files could not be put back`, {
    remedy: "look at `git status` in the repository, and apply again",
    details: { reason: String(failures[0]) },
    cause: failures[0],
  });
}

/** Returns how to undo it. Folders that it makes are added to `made`. */
async function doStep(root: HeldFolder, step: Step, made: string[]): Promise<() => Promise<void>> {
  return tryStep(root, step, made).catch((thrown: unknown) => {
    if (!["EACCES", "EPERM", "EROFS"].includes(errno(thrown) ?? "")) throw thrown;
    throw new Unwritable(step.path, thrown);
  });
}

async function tryStep(root: HeldFolder, { path, before, after }: Step, made: string[]): Promise<() => Promise<void>> {
  let done: string | null = null;
  await inFolder(root, path, made, async (parent, name) => {
    await refuseChanged(parent, name, path, before);
    if (after === null) return unlink(parent.at(name));
    await put(parent, { name, path }, after, before.kind === "taken" ? before.stamp : null);
    const placed = await statAt(parent, name);
    done = placed === null ? null : stampOf(placed);
  });
  return () =>
    inFolder(root, path, [], async (parent, name) => {
      const now = await statAt(parent, name);
      // Somebody worked on it since: it is theirs now.
      if ((now === null ? null : stampOf(now)) !== done) return;
      if (before.kind !== "taken") return unlink(parent.at(name)).catch(unlessGone);
      const old = { mode: before.entry.mode, content: before.copy };
      await put(parent, { name, path }, old, done).catch(unlessChanged);
    });
}

interface Content {
  readonly mode: string;
  readonly content: string;
}

/** `replaces`: the stamp of the only file that may be there. */
async function put(
  parent: HeldFolder,
  { name, path }: { readonly name: string; readonly path: string },
  { mode, content }: Content,
  replaces: string | null,
): Promise<void> {
  const made = parent.at(`${UNFINISHED}${randomUUID()}`);
  try {
    if (mode === "120000") await symlink(await readFile(content), made);
    else await writeWhole(content, made, await rightsFor(parent, name, mode));
    await giveToOwner(parent, made);
    if (replaces === null) return await linkNew(made, parent.at(name), path);
    // Again: writing the new file took its time, in which somebody may have saved theirs.
    const now = await statAt(parent, name);
    if (now === null || stampOf(now) !== replaces) throw new ChangedMeanwhile(path);
    await rename(made, parent.at(name));
  } finally {
    await unlink(made).catch(unlessGone);
  }
}

/** Unlike a rename, a second name never replaces a file that somebody made meanwhile. */
async function linkNew(made: Buffer, target: Buffer, path: string): Promise<void> {
  await link(made, target).catch((thrown: unknown) => {
    if (errno(thrown) === "EEXIST") throw new ChangedMeanwhile(path);
    throw thrown;
  });
}

async function writeWhole(content: string, to: Buffer, rights: number): Promise<void> {
  await copyFile(content, to, constants.COPYFILE_EXCL);
  await chmod(to, rights);
  const file = await open(to, constants.O_RDONLY | constants.O_NOFOLLOW);
  await file.sync().finally(() => file.close());
}

/**
 * A file that is there keeps its rights, but for who may run it. A new one is as open as its folder: the umask is that of
 * the daemon, not of the person.
 */
async function rightsFor(parent: HeldFolder, name: string, mode: string): Promise<number> {
  const found = await statAt(parent, name);
  const rights = found?.isFile() === true ? Number(found.mode) & 0o666 : (await modeOf(parent)) & 0o664;
  return mode === "100755" ? rights | ((rights & 0o444) >> 2) : rights;
}

async function modeOf(folder: HeldFolder): Promise<number> {
  return Number((await folder.stat()).mode);
}

async function giveToOwner(parent: HeldFolder, path: Buffer): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await parent.stat();
  await lchown(path, Number(uid), Number(gid));
}

async function refuseChanged(parent: HeldFolder, name: string, path: string, before: Found): Promise<void> {
  const now = await statAt(parent, name);
  const isSame = before.kind === "taken" ? now !== null && stampOf(now) === before.stamp : now === null;
  if (!isSame) throw new ChangedMeanwhile(path);
}

/** Makes the folders of a path where they are missing. A link among them is a change of somebody else. */
async function inFolder(
  root: HeldFolder,
  path: string,
  made: string[],
  work: (parent: HeldFolder, name: string) => Promise<void>,
): Promise<void> {
  const parts = path.split("/");
  for (let at = 1; at < parts.length; at += 1) {
    const folder = parts.slice(0, at).join("/");
    await inParent(root, folder, async (parent, name) => {
      if (parent === null) throw new ChangedMeanwhile(path);
      const isNew = await mkdir(parent.at(name)).then(
        () => true,
        (thrown: unknown) => {
          if (errno(thrown) === "EEXIST") return false;
          throw thrown;
        },
      );
      if (!isNew) return;
      made.push(folder);
      await chmod(parent.at(name), (await modeOf(parent)) & 0o2775);
      await giveToOwner(parent, parent.at(name));
    });
  }
  await inParent(root, path, async (parent, name) => {
    if (parent === null) throw new ChangedMeanwhile(path);
    await work(parent, name);
  });
}

/** Git keeps no empty folders. */
async function removeEmptyFolders(root: HeldFolder, path: string): Promise<void> {
  const parts = path.split("/");
  for (let at = parts.length - 1; at > 0; at -= 1) if (!(await removeEmpty(root, parts.slice(0, at).join("/")))) return;
}

function removeEmpty(root: HeldFolder, folder: string): Promise<boolean> {
  return inParent(root, folder, async (parent, name) => {
    if (parent === null) return true;
    return rmdir(parent.at(name)).then(
      () => true,
      (thrown: unknown) => {
        if (["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR", "EBUSY"].includes(errno(thrown) ?? "")) return false;
        throw thrown;
      },
    );
  });
}

function unlessChanged(thrown: unknown): void {
  if (!(thrown instanceof ChangedMeanwhile)) throw thrown;
}

function unlessGone(thrown: unknown): void {
  if (errno(thrown) !== "ENOENT") throw thrown;
}

function gone(path: string): HostError {
  return new HostError("repository_invalid", `${path} is not where it was`, {
    remedy: "put the repository back where it was",
    details: { path },
  });
}
