import { accessSync, chmodSync, constants, lstatSync, renameSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { fileStamp } from "../../host/index.ts";
import { type HomeLock, lockHome, StoreError } from "../../store/index.ts";

/** Prefix of files in the home that were moved aside because they blocked a start. */
export const ASIDE = "aside-";

export interface SetAside {
  readonly name: string;
  readonly to: string;
  readonly problem: string;
}

type Kind = "folder" | "file" | "socket" | "lock";

/** Names that must have a certain kind. Anything else at that name is moved aside; the daemon creates it again. */
const NEEDED: readonly (readonly [string, Kind])[] = [
  ...(["agents", "archive", "backups", "blobs", "cache", "doors", "drivers", "exports", "forks"] as const).map(folder),
  ...(["logs", "public-etc", "sandboxes", "snapshots", "tmp", "trash", "tree", "vault"] as const).map(folder),
  ...(["workspaces", "worktree-objects", "worktrees"] as const).map(folder),
  ...(["daemon.json", "ended", "home-id", "search.db", "search.db-journal"] as const).map(file),
  ...(["search.db-shm", "search.db-wal", "log.db-journal", "log.db-shm"] as const).map(file),
  ...(["token", "workspaces.json", "logs/daemon.log", "logs/daemon.out", "keys/key.pub"] as const).map(file),
  ["nomos.sock", "socket"],
];
/** Evidence is never moved. A file here that cannot be read stops the start; the error names it. */
const EVIDENCE = ["config.json", "checkpoint", "checkpoint.cosigned", "log.db", "log.db-wal"] as const;
const EVIDENCE_FOLDERS = ["keys"] as const;
const LOCK = "lock.db";

/**
 * Takes the home lock. A lock that is no SQLite file cannot be held and is moved aside. A lock that cannot be opened may be
 * held by another daemon and stays.
 */
export function takeLock(home: string): HomeLock & { readonly aside: readonly SetAside[] } {
  const path = join(home, LOCK);
  const aside = prepare(home, [
    [LOCK, "lock"],
    [`${LOCK}-journal`, "lock"],
  ]);
  try {
    return { ...lockHome(path), aside };
  } catch (thrown) {
    // SQLite reads the content only after it got the file's lock, so nobody else holds it.
    if (!(thrown instanceof StoreError) || thrown.code !== "log_corrupt") throw thrown;
    const moved = setAside(home, LOCK, "no lock file");
    return { ...lockHome(path), aside: [...aside, moved] };
  }
}

/**
 * Makes a home usable for a start after an agent or a crash damaged it: restores the owner's rights and moves aside files of
 * the wrong kind. Deletes nothing.
 */
export function prepareHome(home: string): readonly SetAside[] {
  // First, so that a read-only home is reported as read-only and not as a file that could not be moved.
  accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  for (const name of EVIDENCE_FOLDERS) giveRights(join(home, name), FOLDER_RIGHTS);
  for (const name of [...EVIDENCE, "keys/log.key"]) giveRights(join(home, name), FILE_RIGHTS);
  return prepare(home, NEEDED);
}

/** Renames a file within the home, so that its name is free. */
function setAside(home: string, name: string, problem: string): SetAside {
  const to = join(home, `${ASIDE}${fileStamp()}-${name.replaceAll("/", "-")}`);
  try {
    renameSync(join(home, name), to);
  } catch (cause) {
    throw new NomosError("home_unusable", { path: join(home, name), problem, reason: String(cause) }, { cause });
  }
  return { name, to, problem };
}

function prepare(home: string, needed: typeof NEEDED): readonly SetAside[] {
  // A folder before the files in it: without its rights they cannot be looked at.
  return [false, true].flatMap((isInFolder) =>
    needed
      .filter(([name]) => name.includes("/") === isInFolder)
      .flatMap(([name, kind]) => {
        const problem = problemWith(join(home, name), kind);
        return problem === null ? [] : [setAside(home, name, problem)];
      }),
  );
}

const QUIETLY = { throwIfNoEntry: false } as const;
const FOLDER_RIGHTS = 0o700;
const FILE_RIGHTS = 0o600;

function problemWith(path: string, kind: Kind): string | null {
  const found = looked(() => lstatSync(path, QUIETLY));
  if (found === null) return null;
  // Anything but a folder is replaced when the socket is made.
  if (kind === "socket") return found.isDirectory() ? "a folder" : null;
  // Follow links: the person may have put a folder on another disk.
  const real = found.isSymbolicLink() ? looked(() => statSync(path, QUIETLY)) : found;
  if (real === null) return "a link that leads nowhere";
  if (kind === "folder" ? !real.isDirectory() : !real.isFile()) return `no ${kind}`;
  if (kind === "lock") return null;
  giveRights(path, kind === "folder" ? FOLDER_RIGHTS : FILE_RIGHTS);
  const { R_OK, W_OK, X_OK } = constants;
  try {
    accessSync(path, kind === "folder" ? R_OK | W_OK | X_OK : R_OK | W_OK);
    return null;
  } catch {
    return "not readable and writable for this user";
  }
}

/** Adds missing rights only; rights that the person gave to others stay. */
function giveRights(path: string, rights: number): void {
  const found = looked(() => lstatSync(path, QUIETLY));
  if (found === null || (!found.isDirectory() && !found.isFile()) || (found.mode & rights) === rights) return;
  try {
    chmodSync(path, (found.mode & 0o777) | rights);
  } catch {
    // Not ours to change: opening the file says what is wrong.
  }
}

/** Null when there is nothing, or nothing that can be looked at. */
function looked(look: () => Stats | undefined): Stats | null {
  try {
    return look() ?? null;
  } catch {
    return null;
  }
}

function folder(name: string): readonly [string, Kind] {
  return [name, "folder"];
}

function file(name: string): readonly [string, Kind] {
  return [name, "file"];
}
