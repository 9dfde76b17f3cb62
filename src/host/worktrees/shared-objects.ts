import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "../host-error.ts";
import { runTool } from "./run-tool.ts";

/**
 * How a worktree holds the objects it stands on:
 * `linked`: the same files under second names in a folder of its own, so a `git gc --prune` over there takes nothing away;
 * `copied`: the same, where the disk is another one;
 * `shared`: read where they are, because they are too many to copy; then a prune over there can take them away.
 */
export type ObjectsHeld = "linked" | "copied" | "shared";

const COPIED_BYTES_MAX = 2_147_483_648;
const TRIES = 3;

/**
 * The store of another worktree, which its agent can write: it is copied, and what is no plain file in it is left out. It
 * becomes the new one's own, so that what was made over there and is nowhere else counts as work here too.
 */
export async function copyOwnObjects(own: string, folder: string): Promise<void> {
  await mkdir(join(folder, "pack"), { recursive: true });
  await everything([own], folder, "--reflink=auto");
  await runTool("find", [folder, "-not", "-type", "d", "-not", "-type", "f", "-delete"]);
}

/** Nothing is written to `from`. The folder is for reading only: where it is linked its files are the user's own. */
export async function holdObjects(from: readonly string[], folder: string): Promise<ObjectsHeld> {
  await mkdir(join(folder, "info"), { recursive: true });
  await mkdir(join(folder, "pack"), { recursive: true });
  const device = (await stat(folder)).dev;
  const isNear = (await Promise.all(from.map(async (path) => (await stat(path)).dev === device))).every(Boolean);
  if (isNear && (await everything(from, folder, "--link").catch(refusedLink))) return "linked";
  const sizes = await Promise.all(from.map(sizeOf));
  if (sizes.reduce((sum, size) => sum + size, 0) > COPIED_BYTES_MAX) return "shared";
  await everything(from, folder, "--reflink=auto");
  return "copied";
}

/**
 * Loose objects first, packs last and once more: who packs meanwhile writes the pack before he removes what it holds. A
 * file that went away between being seen and being taken is in a newer pack, so the round is made again.
 */
async function everything(from: readonly string[], folder: string, how: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      for (const path of from) {
        const loose = (await readdir(path)).filter((name) => /^[0-9a-f]{2}$/.test(name));
        if (loose.length > 0) await take(path, loose, folder, how);
      }
      for (const path of from) await take(path, ["pack"], folder, how);
      return true;
    } catch (thrown) {
      if (tries === TRIES || !isGone(thrown)) throw thrown;
    }
  }
}

async function take(path: string, names: readonly string[], folder: string, how: string): Promise<void> {
  const sources = names.map((name) => join(path, name));
  await runTool("cp", ["--archive", "--no-clobber", how, "--", ...sources, `${folder}/`]);
}

function isGone(thrown: unknown): boolean {
  return thrown instanceof HostError && /No such file or directory/.test(thrown.message);
}

/** A file system without second names, or files that are somebody else's. */
function refusedLink(thrown: unknown): boolean {
  if (thrown instanceof HostError && /cannot create hard link/.test(thrown.message)) return false;
  throw thrown;
}

async function sizeOf(path: string): Promise<number> {
  const told = (await runTool("du", ["--summarize", "--bytes", "--", path])).toString();
  return Number.parseInt(told, 10);
}
