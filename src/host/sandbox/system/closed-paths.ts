import { accessSync, constants, type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { UNREACHABLE, unless } from "../../errno.ts";
import type { Clock } from "../../machine/clock.ts";
import type { HiddenPath } from "../../processes/hidden-paths.ts";

/**
 * System files and folders that not everybody may read. A daemon that runs as root could read them, and so could its
 * children: root owns them, which needs no capability.
 */
export interface ClosedPaths {
  readonly list: () => readonly HiddenPath[];
}

const LOOKED_AT_MAX_MS = 30_000;
const READ_BY_OTHERS = 0o004;
const ENTER_BY_OTHERS = 0o001;

interface Folder {
  readonly stamp: string;
  readonly closed: readonly HiddenPath[];
  readonly inner: readonly string[];
}

/**
 * The first scan takes part of a second on a large system. Later scans only look into folders that have changed, so a
 * change of a file's mode alone is noticed only with the next change in its folder.
 */
export function watchClosedPaths(roots: readonly string[], clock: Clock): ClosedPaths {
  let known = new Map<string, Folder>();
  let seen: { readonly atMs: number; readonly paths: readonly HiddenPath[] } | null = null;
  const look = (): readonly HiddenPath[] => {
    const now = new Map<string, Folder>();
    const pending = [...roots];
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const folder = lookAt(path, known.get(path));
      now.set(path, folder);
      pending.push(...folder.inner);
    }
    known = now;
    return [...now.values()].flatMap(({ closed }) => closed);
  };
  return {
    list: () => {
      const nowMs = clock.steadyMs();
      if (seen === null || Math.abs(nowMs - seen.atMs) > LOOKED_AT_MAX_MS) seen = { atMs: nowMs, paths: look() };
      return seen.paths;
    },
  };
}

const QUIETLY = { throwIfNoEntry: false } as const;
const NOTHING: Folder = { stamp: "", closed: [], inner: [] };

function lookAt(path: string, before: Folder | undefined): Folder {
  const stat = statOf(path);
  if (stat === null) return NOTHING;
  const stamp = `${stat.dev}:${stat.ino}:${stat.ctimeMs}`;
  if (before?.stamp === stamp) return before;
  if (isClosed(stat)) return { stamp, closed: isOurs(path) ? [{ path, kind: "directory" }] : [], inner: [] };
  const closed: HiddenPath[] = [];
  const inner: string[] = [];
  // A system has more than a hundred thousand files, so this loop makes no more objects than it has to.
  for (const entry of unless<Dirent[]>(UNREACHABLE, () => readdirSync(path, { withFileTypes: true })) ?? []) {
    const at = `${path}/${entry.name}`;
    if (entry.isDirectory()) inner.push(at);
    else if (!entry.isSymbolicLink() && isClosed(statOf(at)) && isOurs(at)) closed.push({ path: at, kind: "file" });
  }
  return { stamp, closed, inner };
}

/** False for a path that is gone. */
export function isClosed(stat: Stats | null): boolean {
  if (stat === null) return false;
  const open = stat.isDirectory() ? READ_BY_OTHERS | ENTER_BY_OTHERS : READ_BY_OTHERS;
  return (stat.mode & open) !== open;
}

/** Paths that the daemon cannot read need no cover: processes inside have no more rights. */
function isOurs(path: string): boolean {
  return unless(UNREACHABLE, () => accessSync(path, constants.R_OK) ?? true) !== null;
}

function statOf(path: string): Stats | null {
  return unless<Stats | undefined>(UNREACHABLE, () => lstatSync(path, QUIETLY)) ?? null;
}
