import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { LawLock } from "../../domains/index.ts";
import { openView, type Repository, type RepositoryGit, readBlobs } from "../../host/index.ts";
import { inTree, LAW_DIR } from "../repository/law-path.ts";
import { LAW_FILE_BYTES_MAX, textFrom } from "../repository/tree-reader.ts";
import { LAW_FILES } from "./law-source.ts";
import { parseLock } from "./lock.ts";

/** The locks that a branch has had. */
export interface LockHistory {
  /** What the tip has; null: none, or a damaged one. */
  readonly current: LawLock | null;
  /** Newest first, along the branch itself; those that are damaged are left out. */
  readonly own: readonly LawLock[];
  /** Hashes of those, and of what was merged into the branch where the newest lock follows none of its own. */
  readonly all: ReadonlySet<string>;
  /** Whether the history ends before its beginning: a shallow clone, or more locks than are read. */
  readonly isCut: boolean;
}

const LOCKS_READ_MAX = 500;
const NO_HISTORY: LockHistory = { current: null, own: [], all: new Set(), isCut: false };

/** Tip: a commit; null: nothing is committed yet. */
export async function lockHistory(
  git: RepositoryGit,
  {
    repository,
    tip,
    scratch,
    lawFolder = LAW_DIR,
  }: {
    readonly repository: Repository;
    readonly tip: string | null;
    readonly scratch: string;
    readonly lawFolder?: string;
  },
): Promise<LockHistory> {
  if (tip === null) return NO_HISTORY;
  await using view = await openView(git, repository, scratch);
  const lock = inTree(lawFolder, LAW_FILES.lock);
  const own = await blobsOf(view.git, tip, lock, "--first-parent");
  const locks = await locksOf(view.git, own);
  const [current] = own.map((id) => locks.get(id) ?? null);
  const isKnown = (hash: string): boolean => [...locks.values()].some((one) => one.hash === hash);
  const isMerged = current?.previous != null && !isKnown(current.previous);
  const merged = isMerged ? await blobsOf(view.git, tip, lock, "--full-history") : [];
  for (const [id, one] of await locksOf(view.git, merged)) locks.set(id, one);
  const isShallow = (await lstat(join(repository.commonDir, "shallow")).catch(() => null)) !== null;
  return {
    current: current ?? null,
    // A lock that was taken away and put back as it was is one lock.
    own: own.flatMap((id) => locks.get(id) ?? []).filter(({ hash }, at, list) => hash !== list[at - 1]?.hash),
    all: new Set([...locks.values()].map(({ hash }) => hash)),
    isCut: isShallow || Math.max(own.length, merged.length) >= LOCKS_READ_MAX,
  };
}

async function locksOf(git: RepositoryGit, ids: readonly string[]): Promise<Map<string, LawLock>> {
  const locks = new Map<string, LawLock>();
  const wanted = [...new Set(ids.filter(Boolean))];
  await readBlobs({ git }, wanted, (id, bytes) => {
    if (bytes === null || bytes.length > LAW_FILE_BYTES_MAX) return;
    const parsed = parseLock(textFrom(bytes) ?? "");
    if (parsed.is === "whole") locks.set(id, parsed.value);
  });
  return locks;
}

/** A file's blobs, newest first; empty for a commit that took it away. */
export async function blobsOf(
  git: RepositoryGit,
  tip: string,
  file: string,
  how: "--first-parent" | "--full-history",
): Promise<string[]> {
  const told = await git.text([
    ...["log", how, `--max-count=${LOCKS_READ_MAX}`, "--format=", "--raw", "--no-abbrev", "--no-renames", "-m"],
    ...["--root", tip, "--", file],
  ]);
  return told.split("\n").flatMap((line) => {
    const [, mode, before, id] = /^:\d+ (\d+) (\w+) (\w+) /.exec(line) ?? [];
    // Another file mode makes no other lock.
    if (mode === undefined || id === undefined || id === before) return [];
    return [mode === "100644" || mode === "100755" ? id : ""];
  });
}

/** Why the lock does not follow those before it; null when it does. The first of the history is the lock itself. */
export function chainFault(lock: LawLock, { own, all, isCut }: LockHistory): string | null {
  const older = own.slice(own[0]?.hash === lock.hash ? 1 : 0);
  if (older.some(({ hash }) => hash === lock.hash)) return "it is an older lock that was put back";
  if (lock.previous === null) return older.length > 0 ? "it names no lock before it, and there was one" : null;
  if (all.has(lock.previous) || isCut) return null;
  return "the lock that it names as the one before it was never committed";
}
