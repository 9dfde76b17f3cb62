import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { UNREACHABLE, unless } from "../../errno.ts";
import type { HiddenPath } from "../../processes/hidden-paths.ts";
import type { Planned } from "../planned.ts";
import { isClosed } from "./closed-paths.ts";

/** A folder with more entries is not rebuilt, because each entry is a mount. */
const ENTRIES_MAX = 32;
const MOUNTS_MAX = 256;
const WHY = "not everybody may read it";

/**
 * The mounts that hide closed system paths. A small folder is rebuilt from its other entries, so that a replaced file
 * stays hidden too. In a large folder the file is covered, which holds only until it is replaced.
 */
export function withoutClosed(closed: readonly HiddenPath[]): Planned[] {
  const planned: Planned[] = [];
  const anew = new Set<string>();
  for (const { path, kind } of closed) {
    const folder = dirname(path);
    if (anew.has(folder) || !isClosed(statOf(path))) continue;
    const rest = putAnew(folder);
    if (rest !== null && planned.length + rest.length <= MOUNTS_MAX) {
      anew.add(folder);
      planned.push(...rest);
    } else planned.push({ kind: "cover", path, of: kind, why: WHY });
  }
  return planned.toSorted((a, b) => depth(a.path) - depth(b.path));
}

function putAnew(folder: string): Planned[] | null {
  const entries = unless<Dirent[]>(UNREACHABLE, () => readdirSync(folder, { withFileTypes: true })) ?? [];
  if (entries.length > ENTRIES_MAX) return null;
  const rest = entries.flatMap(({ name }): Planned[] => {
    const path = join(folder, name);
    const stat = statOf(path);
    if (stat === null || isClosed(stat)) return [];
    if (stat.isSymbolicLink()) return [{ kind: "link", path, to: readlinkSync(path), why: "the system" }];
    if (!stat.isFile() && !stat.isDirectory()) return [];
    const is = { dev: stat.dev, ino: stat.ino };
    return [{ kind: "bind", path, from: path, access: "read", why: "the system", is }];
  });
  return [{ kind: "cover", path: folder, of: "directory", why: WHY }, ...rest];
}

function statOf(path: string): Stats | null {
  return unless<Stats>(UNREACHABLE, () => lstatSync(path));
}

function depth(path: string): number {
  return path.split("/").length;
}
