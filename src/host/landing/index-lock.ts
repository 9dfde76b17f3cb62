import { constants } from "node:fs";
import { open, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "../errno.ts";

/** Git's own lock on the index of a checkout: while it is there, no other git changes index or files. */
export interface IndexLock {
  readonly release: () => Promise<void>;
}

const LOCK = "index.lock";

/** Null when another git holds it. `owner` is written into it, so that a later daemon knows whose it was. */
export async function takeIndexLock(gitDir: string, owner: string): Promise<IndexLock | null> {
  const path = join(gitDir, LOCK);
  const file = await open(
    path,
    constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW,
    0o644,
  ).catch((thrown: unknown) => {
    if (errno(thrown) === "EEXIST") return null;
    throw thrown;
  });
  if (file === null) return null;
  await file
    .writeFile(mark(owner))
    .then(() => file.sync())
    .finally(() => file.close());
  return { release: () => dropIndexLock(gitDir, owner) };
}

/** Removes the lock if it is this owner's. */
export async function dropIndexLock(gitDir: string, owner: string): Promise<void> {
  if (await holdsIndexLock(gitDir, owner)) await unlink(join(gitDir, LOCK)).catch(unlessGone);
}

export async function holdsIndexLock(gitDir: string, owner: string): Promise<boolean> {
  const text = await readFile(join(gitDir, LOCK), "utf8").catch((thrown: unknown) => {
    unlessGone(thrown);
    return null;
  });
  return text === mark(owner);
}

const mark = (owner: string): string => `nomos ${owner}\n`;

function unlessGone(thrown: unknown): void {
  if (!["ENOENT", "ENOTDIR"].includes(errno(thrown) ?? "")) throw thrown;
}
