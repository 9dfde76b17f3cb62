import { chmodSync, constants, lstatSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";

const SMALL_BYTES_MAX = 65_536;

/** Reads a small file of the home. Never blocks on a pipe or device, and never reads more than a small file holds. */
export async function readSmall(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > SMALL_BYTES_MAX) throw new Error(`${path} is no small file`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** Opens a file in the home for appending. Anything else at its path, or at its folder's, is moved aside. */
export function openToAppend(home: string, folder: string, name: string): number {
  makeFolders(home);
  freeName(home, folder, "folder");
  if (lstatSync(join(home, folder), { throwIfNoEntry: false }) === undefined)
    mkdirSync(join(home, folder), { mode: 0o700 });
  freeName(home, join(folder, name), "file");
  const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;
  return openSync(join(home, folder, name), O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY, 0o600);
}

/** Avoids Node's `recursive` option, which never returns where folders cannot be created, as in `/proc`. */
function makeFolders(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(path) !== path) makeFolders(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function freeName(home: string, name: string, kind: "folder" | "file"): void {
  const path = join(home, name);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  const found = statSync(path, { throwIfNoEntry: false });
  if (kind === "folder" ? found?.isDirectory() === true : found?.isFile() === true) {
    const rights = kind === "folder" ? 0o700 : 0o600;
    if (found !== undefined && (found.mode & rights) !== rights) chmodSync(path, (found.mode & 0o777) | rights);
    return;
  }
  renameSync(path, join(home, `aside-${Date.now()}-${name.replaceAll("/", "-")}`));
}
