import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isSignedBy, parseCheckpoint, type TreeHead, type VerifierKey } from "../../store/index.ts";
import { BEFORE_RESTORE } from "./restored-files.ts";

/** The newest checkpoint of this log in a home: its own, a witness's, or one that an earlier restore moved aside. */
export async function newestKnownCheckpoint(home: string, key: VerifierKey): Promise<TreeHead | null> {
  const folders = await homeBeforeAndNow(home);
  const notes = await Promise.all(
    folders.flatMap((folder) => ["checkpoint", "checkpoint.cosigned"].map((name) => readIfThere(join(folder, name)))),
  );
  let newest: TreeHead | null = null;
  for (const note of notes) {
    const checkpoint = note === null ? null : parseCheckpoint(note);
    if (checkpoint === null || checkpoint.origin !== key.name || !isSignedBy(checkpoint, key)) continue;
    if (checkpoint.size > (newest?.size ?? 0)) newest = checkpoint;
  }
  return newest;
}

/** A home, and the folders that earlier restores moved aside in it. */
export async function homeBeforeAndNow(home: string): Promise<readonly string[]> {
  const aside = (await readdir(home)).filter((name) => name.startsWith(BEFORE_RESTORE));
  return [home, ...aside.map((name) => join(home, name))];
}

async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}
