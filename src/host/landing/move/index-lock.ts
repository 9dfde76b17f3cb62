import { chown, link, lstat, open, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "../../errno.ts";

/** Git's own lock on the index of a checkout: while it is there, no other git changes index or files. */
export interface IndexLock {
  readonly release: () => Promise<void>;
}

const LOCK = "index.lock";

/** Null when another git holds it. `owner` is written into it, so that a later daemon knows whose it was. */
export async function takeIndexLock(gitDir: string, owner: string): Promise<IndexLock | null> {
  // Written before it gets its name: a lock without its owner could never be given back after a crash.
  const made = ownFile(gitDir, owner, "lock");
  await unlink(made).catch(unlessGone);
  try {
    const file = await open(made, "wx", 0o644);
    await file
      .writeFile(mark(owner))
      .then(() => file.sync())
      .finally(() => file.close());
    await giveToOwner(made, gitDir);
    await link(made, join(gitDir, LOCK));
    return { release: () => dropIndexLock(gitDir, owner) };
  } catch (thrown) {
    if (errno(thrown) === "EEXIST") return null;
    throw thrown;
  } finally {
    await unlink(made).catch(unlessGone);
  }
}

/** A file of ours in a person's git dir; a later daemon finds it again. */
export function ownFile(gitDir: string, owner: string, what: "lock" | "index"): string {
  return join(gitDir, `nomos-${owner.replaceAll(/[^\w-]/g, "_")}.${what}`);
}

export async function giveToOwner(path: string, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(path, uid, gid);
}

/** Removes the lock if it is this owner's, and what a crash left beside it. */
export async function dropIndexLock(gitDir: string, owner: string): Promise<void> {
  for (const what of ["lock", "index"] as const) await unlink(ownFile(gitDir, owner, what)).catch(unlessGone);
  if (await holdsIndexLock(gitDir, owner)) await unlink(join(gitDir, LOCK)).catch(unlessGone);
}

export async function holdsIndexLock(gitDir: string, owner: string): Promise<boolean> {
  const path = join(gitDir, LOCK);
  const found = await lstat(path).catch((thrown: unknown) => {
    unlessGone(thrown);
    return null;
  });
  if (found?.isFile() !== true || found.size !== mark(owner).length) return false;
  const text = await readFile(path, "utf8").catch((thrown: unknown) => {
    unlessGone(thrown);
    return null;
  });
  return text === mark(owner);
}

const mark = (owner: string): string => `nomos ${owner}\n`;

function unlessGone(thrown: unknown): void {
  // Nothing of ours is where nothing can be written.
  if (!["ENOENT", "ENOTDIR", "EROFS"].includes(errno(thrown) ?? "")) throw thrown;
}
