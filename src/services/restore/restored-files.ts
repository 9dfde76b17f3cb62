import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm } from "node:fs/promises";
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
  "vault",
  "checkpoint.cosigned",
  "checkpoint",
  "tree",
  "archive",
  "blobs",
  "log.db",
];
/** Keys that no backup holds. They stay with the home: without them a restored vault would be locked for no reason. */
const STAYING_KEYS = ["vault.key", "vault.key.age", "vault.keyring", "fingerprint"];
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
  if (aside !== null) await keepKeys(join(aside, "keys"), join(folder, "keys"));
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

/** Copies them into the restored keys before those are moved into place. */
async function keepKeys(from: string, to: string): Promise<void> {
  for (const name of STAYING_KEYS) {
    if (!existsSync(join(from, name))) continue;
    await mkdir(to, { recursive: true, mode: 0o700 });
    await copyFile(join(from, name), join(to, name));
    await chmod(join(to, name), 0o600);
  }
}
