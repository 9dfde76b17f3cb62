import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { NomosError } from "../../contract/index.ts";
import { fileStamp } from "../../host/index.ts";
import { flushFolder, logPath, MANIFEST } from "../../store/index.ts";

/** In a home while a restore is under way there. As long as it lies there no daemon starts. */
export const RESTORING = "restoring.tmp";
export const BEFORE_RESTORE = "before-restore-";

/** What a restore brings, in the order in which it comes to its place: the log last. */
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
/** What belonged to another log would be wrong beside this one. */
const STALE = ["search.db", "search.db-wal", "search.db-shm", "daemon.json"];

/** A daemon on a backup would change what somebody wants to keep as it is. */
export function refuseBackup(home: string): void {
  if (existsSync(join(home, MANIFEST))) throw new NomosError("home_is_backup", { home });
}

/** A daemon on half a home would begin a log of its own. What a finished restore did not get to clear away is in nobody's way. */
export function refuseUnfinished(home: string): void {
  if (existsSync(join(home, RESTORING)) && !existsSync(logPath(home)))
    throw new NomosError("restore_unfinished", { home });
}

/** Puts what was restored into its place. What lay there is kept, in a folder of the home; null when there was nothing. */
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
