import { accessSync, constants, type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import { UNREACHABLE, unless } from "../errno.ts";
import type { HiddenPath } from "../processes/hidden-paths.ts";

/** Files of the system that not everybody may read, such as /etc/shadow: a daemon that runs as root could. */
export interface ClosedPaths {
  readonly list: () => readonly HiddenPath[];
}

const LOOKED_AT_MAX_MS = 30_000;
const ENTRIES_MAX = 20_000;
const READ_BY_OTHERS = 0o004;
const ENTER_BY_OTHERS = 0o001;

export function watchClosedPaths(root: string, clock: Clock): ClosedPaths {
  let seen: { readonly atMs: number; readonly paths: readonly HiddenPath[] } | null = null;
  return {
    list: () => {
      const nowMs = clock.steadyMs();
      if (seen === null || nowMs - seen.atMs > LOOKED_AT_MAX_MS) seen = { atMs: nowMs, paths: closedBelow(root) };
      return seen.paths;
    },
  };
}

function closedBelow(root: string): HiddenPath[] {
  const closed: HiddenPath[] = [];
  const pending = [root];
  for (let looked = 0, folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const here = folder;
    const entries = unless<Dirent[]>(UNREACHABLE, () => readdirSync(here, { withFileTypes: true })) ?? [];
    looked += entries.length;
    if (looked > ENTRIES_MAX) throw new Error(`${root} has more than ${ENTRIES_MAX} entries`);
    for (const entry of entries) {
      const path = join(here, entry.name);
      if (entry.isSymbolicLink()) continue;
      const mode = unless<Stats>(UNREACHABLE, () => lstatSync(path))?.mode ?? 0;
      const open = entry.isDirectory() ? READ_BY_OTHERS | ENTER_BY_OTHERS : READ_BY_OTHERS;
      // What we cannot read ourselves needs no cover: inside we are nobody more.
      if ((mode & open) !== open && unless(UNREACHABLE, () => accessSync(path, constants.R_OK) ?? true) === null)
        continue;
      if ((mode & open) !== open) closed.push({ path, kind: entry.isDirectory() ? "directory" : "file" });
      else if (entry.isDirectory()) pending.push(path);
    }
  }
  return closed;
}
