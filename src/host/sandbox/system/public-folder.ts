import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { UNREACHABLE, unless } from "../../errno.ts";
import { HostError } from "../../host-error.ts";
import type { Clock } from "../../machine/clock.ts";

/**
 * A copy of the world-readable part of a system folder. Covering the other files is not enough: when somebody outside
 * replaces such a file, as editors do, the new one has no cover.
 */
export interface PublicFolder {
  /** The path of the newest copy. */
  readonly current: () => string;
  /** Keeps that copy until the returned function is called. */
  readonly hold: (copy: string) => () => void;
}

export interface PublicFolderOptions {
  readonly source: string;
  /** Where the copies are; private to the daemon. */
  readonly folder: string;
  readonly clock: Clock;
}

const LOOKED_AT_MAX_MS = 30_000;
const ENTRIES_MAX = 20_000;
const FILE_BYTES_MAX = 33_554_432;
const ALL_BYTES_MAX = 268_435_456;
const READ_BY_OTHERS = 0o004;
const ENTER_BY_OTHERS = 0o005;

export function keepPublicFolder({ source, folder, clock }: PublicFolderOptions): PublicFolder {
  let seen: { readonly atMs: number; readonly copy: string } | null = null;
  const held = new Map<string, number>();

  const dropOthers = (): void => {
    for (const name of unless(UNREACHABLE, () => readdirSync(folder)) ?? []) {
      const path = join(folder, name);
      // If it cannot be removed now, the next copy tries again.
      if (path !== seen?.copy && !held.has(path)) unless(STAYS, () => rmSync(path, { recursive: true, force: true }));
    }
  };

  return {
    current: () => {
      const nowMs = clock.steadyMs();
      if (seen !== null && Math.abs(nowMs - seen.atMs) <= LOOKED_AT_MAX_MS && existsSync(seen.copy)) return seen.copy;
      const entries = entriesBelow(source);
      const copy = join(folder, nameOf(entries));
      if (!existsSync(copy)) orUnavailable(source, () => make(source, folder, copy, entries));
      seen = { atMs: nowMs, copy };
      dropOthers();
      return copy;
    },
    hold: (copy) => {
      held.set(copy, (held.get(copy) ?? 0) + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        held.set(copy, (held.get(copy) ?? 1) - 1);
        if (held.get(copy) === 0) held.delete(copy);
        dropOthers();
      };
    },
  };
}

/** Shows the folder itself, without a copy. */
export function asItIs(source: string): PublicFolder {
  return { current: () => source, hold: () => () => undefined };
}

interface Entry {
  /** Relative to the source. */
  readonly path: string;
  readonly kind: "directory" | "file" | "link";
  readonly stat: Stats;
}

/** Outer before inner. */
function entriesBelow(source: string): Entry[] {
  const entries: Entry[] = [];
  const pending = [""];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const here = join(source, folder);
    for (const { name } of unless<Dirent[]>(UNREACHABLE, () => readdirSync(here, { withFileTypes: true })) ?? []) {
      const path = join(folder, name);
      const entry = entryAt(source, path);
      if (entry === null) continue;
      entries.push(entry);
      if (entries.length > ENTRIES_MAX) throw tooLarge(source);
      if (entry.kind === "directory") pending.push(path);
    }
  }
  return entries;
}

function entryAt(source: string, path: string): Entry | null {
  const stat = unless<Stats>(UNREACHABLE, () => lstatSync(join(source, path)));
  if (stat === null) return null;
  if (stat.isSymbolicLink()) return { path, kind: "link", stat };
  if (stat.isDirectory())
    return (stat.mode & ENTER_BY_OTHERS) === ENTER_BY_OTHERS ? { path, kind: "directory", stat } : null;
  return stat.isFile() && (stat.mode & READ_BY_OTHERS) !== 0 ? { path, kind: "file", stat } : null;
}

function nameOf(entries: readonly Entry[]): string {
  const hash = createHash("sha256");
  for (const { path, kind, stat } of entries)
    hash.update(
      `${JSON.stringify(path)} ${kind} ${stat.dev} ${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}\n`,
    );
  return hash.digest("hex").slice(0, 32);
}

/** Made under a temporary name until it is complete. */
function make(source: string, folder: string, copy: string, entries: readonly Entry[]): void {
  const making = join(folder, `making-${randomBytes(4).toString("hex")}`);
  mkdirSync(making, { recursive: true, mode: 0o755 });
  let bytesLeft = ALL_BYTES_MAX;
  for (const { path, kind } of entries) {
    const [from, to] = [join(source, path), join(making, path)];
    // The parent was left out or is no longer a directory.
    if (!existsSync(dirname(to))) continue;
    if (kind === "directory") mkdirSync(to, { mode: 0o755 });
    else if (kind === "link") unless(GONE, () => symlinkSync(readlinkSync(from), to));
    else bytesLeft -= unless(GONE, () => copyPublic(from, to, bytesLeft)) ?? 0;
  }
  renameSync(making, copy);
}

const STAYS = ["EACCES", "EPERM", "EBUSY", "ENOTEMPTY", "EIO", "EROFS"];
const GONE = [...UNREACHABLE, "EINVAL"];

/** Judges the opened file, not its name, which may have changed meanwhile. */
function copyPublic(from: string, to: string, bytesLeft: number): number {
  const fd = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { mode, size } = fstatSync(fd);
    const isPublic = fstatSync(fd).isFile() && (mode & READ_BY_OTHERS) !== 0;
    if (!isPublic || size > Math.min(FILE_BYTES_MAX, bytesLeft)) return 0;
    writeFileSync(to, readFileSync(fd), { mode: mode & 0o755, flag: "wx" });
    return size;
  } finally {
    closeSync(fd);
  }
}

function orUnavailable(source: string, copy: () => void): void {
  try {
    copy();
  } catch (cause) {
    throw new HostError("sandbox_unavailable", `the public files of ${source} could not be copied into the home`, {
      remedy: "free space on the disk of NOMOS_HOME, and make it writable",
      details: { path: source },
      cause,
    });
  }
}

function tooLarge(source: string): HostError {
  const remedy = `move files that are not settings out of ${source}`;
  return new HostError("sandbox_unavailable", `${source} has more than ${ENTRIES_MAX} entries`, {
    remedy,
    details: { path: source, remedy },
  });
}
