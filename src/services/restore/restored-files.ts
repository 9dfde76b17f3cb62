import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { fileStamp } from "../../host/index.ts";
import { flushFolder, logPath, MANIFEST } from "../../store/index.ts";

/** Folder of an unfinished restore. While it is in a home without a log, no daemon starts there. */
export const RESTORING = "restoring.tmp";
export const BEFORE_RESTORE = "before-restore-";

/** Files that a restore moves into place, in this order: the log last. */
const BROUGHT = [
  "config.json",
  "drivers",
  "keys",
  "checkpoint.cosigned",
  "checkpoint",
  "tree",
  "archive",
  "blobs",
  "log.db",
];
/** Files that belonged to the earlier log; they are moved aside. */
const STALE = ["search.db", "search.db-wal", "search.db-shm", "daemon.json"];

/** Refuses to start on a backup: the daemon would change it. */
export function refuseBackup(home: string): void {
  if (existsSync(join(home, MANIFEST))) throw new NomosError("home_is_backup", { home });
}

/** Refuses to start on an unfinished restore: the daemon would begin a new log. Leftovers of a finished one do not matter. */
export function refuseUnfinished(home: string): void {
  if (existsSync(join(home, RESTORING)) && !existsSync(logPath(home)))
    throw new NomosError("restore_unfinished", { home });
}

/** Moves restored files into place. Returns the folder that keeps the earlier ones; null when there were none. */
export async function placeRestored(home: string, folder: string): Promise<string | null> {
  const inTheWay = [...BROUGHT, ...STALE].filter((name) => existsSync(join(home, name)));
  const aside = inTheWay.length === 0 ? null : join(home, `${BEFORE_RESTORE}${fileStamp()}`);
  if (aside !== null) {
    await mkdir(aside, { mode: 0o700 });
    for (const name of inTheWay) await rename(join(home, name), join(aside, name));
  }
  for (const name of BROUGHT)
    if (existsSync(join(folder, name))) {
      if (name === "log.db") await flushFolder(home);
      await rename(join(folder, name), join(home, name));
    }
  await flushFolder(home);
  await rm(folder, { recursive: true, force: true });
  await flushFolder(home);
  return aside;
}
