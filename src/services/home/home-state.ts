import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Left, Trash } from "../../host/index.ts";
import type { KeptFork } from "../../supervisor/index.ts";
import { TRASH } from "./open-home.ts";
import { ASIDE } from "./prepare-home.ts";

export interface HomeState {
  readonly left: readonly { readonly path: string; readonly reason: string; readonly remedy: string }[];
  readonly aside: readonly string[];
}

const SHOWN_MAX = 100;

/**
 * Leftovers in a home: folders that could not be removed, directories of forks whose sessions are gone, and files that were
 * moved aside. `trash` is null without a daemon.
 */
export async function homeState(
  home: string,
  trash: Pick<Trash, "left"> | null,
  forks: readonly KeptFork[] = [],
): Promise<HomeState> {
  const left = [...(trash === null ? await waiting(home) : await trash.left()), ...forks];
  const names = await readdir(home).catch(() => []);
  return {
    left: left.slice(0, SHOWN_MAX).map(({ path, reason }) => ({ path, reason, remedy: remedyFor(path, reason) })),
    aside: names
      .filter((name) => name.startsWith(ASIDE))
      .slice(0, SHOWN_MAX)
      .map((name) => join(home, name)),
  };
}

async function waiting(home: string): Promise<readonly Left[]> {
  const names = await readdir(join(home, TRASH)).catch(() => []);
  return names.map((name) => ({ path: join(home, TRASH, name), reason: "waiting" }));
}

function remedyFor(path: string, reason: string): string {
  if (reason === "mount") return `Something is mounted there. Run: umount '${path}'`;
  if (reason === "EPERM")
    return `It is immutable or another user's. As root, run: chattr -R -i '${path}'; rm -rf '${path}'`;
  if (reason === "EACCES") return `It is another user's. As root, run: rm -rf '${path}'`;
  if (reason === "EROFS") return "Its file system is read-only. Mount it writable.";
  if (reason === "work")
    return `It may hold the only copy of what a fork did whose session is gone. Look into it, then run: rm -rf '${path}'`;
  if (reason === "in_use") return "Nothing to do: it is looked at again with `nomos gc` and at the next start.";
  if (reason === "waiting") return "`nomos up` removes it.";
  if (reason === "too_many" || reason === "stopped") return "Nothing to do: it is gone on with.";
  return `It is tried again by itself; by hand: rm -rf '${path}'`;
}
