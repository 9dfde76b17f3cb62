import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../host/index.ts";

/** Names of our temporary files: a write that was cut off leaves one beside the file it was to become. */
const TEMPORARY = /(?:\.[0-9a-f]{12}|\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.tmp(?:\.lines)?$/;
/** Folders of the home with temporary files, and how deep to look. Finished exports and backups are not searched. */
const FOLDERS = [
  { name: "", depth: 0 },
  { name: "keys", depth: 1 },
  { name: "exports", depth: 0 },
  { name: "backups", depth: 0 },
  { name: "blobs", depth: 12 },
  { name: "tree", depth: 12 },
] as const;

/**
 * Removes temporary files of an earlier daemon: those older than this one, which holds the home's lock. Logs their number;
 * never throws.
 */
export async function cleanTemporaries(
  home: string,
  startedAtMs: number,
  log: (message: string, details: object) => void,
): Promise<void> {
  try {
    const files = await removeOlder(home, startedAtMs);
    if (files > 0) log("removed temporary files of a crash", { files });
  } catch (thrown) {
    log("temporary files of a crash could not be removed", { reason: String(thrown) });
  }
}

async function removeOlder(home: string, startedAtMs: number): Promise<number> {
  let removed = 0;
  const clean = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (TEMPORARY.test(entry.name)) {
        const found = await lstat(path).catch(() => null);
        if (found === null || found.mtimeMs >= startedAtMs) continue;
        if ((await removeTree(path)).length === 0) removed += 1;
      } else if (entry.isDirectory() && depth > 0) await clean(path, depth - 1);
    }
  };
  for (const { name, depth } of FOLDERS) await clean(join(home, name), depth);
  return removed;
}
