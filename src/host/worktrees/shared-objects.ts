import { mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errno } from "../errno.ts";
import { copyPlain, linkPlain, sideBySide, type Taken } from "../files/copy-plain.ts";
import { type HeldFolder, holdFolder } from "../files/held-folder.ts";
import { HostError } from "../host-error.ts";
import { orFailed } from "./run-tool.ts";

/**
 * How a worktree holds the objects it is based on, in its own folder, so that a `git gc --prune` in the user's
 * repository removes nothing here.
 * - `linked`: taken from the same disk;
 * - `copied`: taken from another disk;
 * - `shared`: from earlier versions, which read packs in place; a repack there can remove them.
 */
export type ObjectsHeld = "linked" | "copied" | "shared";

const TRIES = 5;
/** Packing a large repository removes its loose objects for some seconds. */
const PAUSE_MS = 300;

/**
 * Copies the store of another worktree, because its agent can write it. It becomes the new worktree's own store, so
 * that objects made there and nowhere else count as work here too.
 */
export async function copyOwnObjects(own: string, folder: string): Promise<void> {
  await mkdir(join(folder, "pack"), { recursive: true });
  await everything([own], folder, copy);
}

/** Takes the objects that another worktree is based on; they were selected when it was made. */
export async function holdObjects(from: readonly string[], folder: string): Promise<ObjectsHeld> {
  await mkdir(join(folder, "pack"), { recursive: true });
  if ((await areNear(from, folder)) && (await everything(from, folder, linkPlain))) return "linked";
  await everything(from, folder, copy);
  return "copied";
}

/**
 * Collects all objects of a repository for our git to choose from; no agent ever sees them. Writes nothing to `from`.
 * Takes only objects, not references to further stores, and follows no links, so that no foreign objects are included.
 */
export async function stageObjects(from: readonly string[], folder: string): Promise<ObjectsHeld> {
  await mkdir(join(folder, "pack"), { recursive: true });
  if ((await areNear(from, folder)) && (await everything(from, folder, linkPlain))) return "linked";
  await everything(from, folder, leavePack);
  return "copied";
}

async function areNear(from: readonly string[], folder: string): Promise<boolean> {
  const device = (await stat(folder)).dev;
  return (await Promise.all(from.map(async (path) => (await stat(path)).dev === device))).every(Boolean);
}

type Take = (from: HeldFolder, name: Buffer, to: Buffer, source: string) => Promise<Taken>;

const copy: Take = (from, name, to) => copyPlain(from, name, to);

/**
 * References a pack in place but copies its index. If somebody replaces the pack by a foreign one, git notices that it
 * does not match the index.
 */
const leavePack: Take = async (from, name, to, source) => {
  if (!name.toString().endsWith(".pack")) return copyPlain(from, name, to);
  await symlink(source, to).catch(orThere);
  return "taken";
};

function orThere(thrown: unknown): void {
  if (errno(thrown) !== "EEXIST") throw thrown;
}

/**
 * Takes loose objects first, packs last: a concurrent repack writes the pack before it removes loose objects. A file or
 * folder that vanished meanwhile is in a newer pack, so the round is repeated. False when the file system has no hard
 * links or the files belong to somebody else.
 */
async function everything(from: readonly string[], folder: string, take: Take): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      let isWhole = true;
      for (const kind of [LOOSE, PACKED])
        for (const path of from) isWhole = (await takeFrom(path, folder, kind, take)) && isWhole;
      if (isWhole) return true;
      if (tries === TRIES) throw unsteady(from);
      await sleep(tries * PAUSE_MS);
    } catch (thrown) {
      if (take === linkPlain && NO_LINK.includes(errno(thrown) ?? "")) return false;
      orFailed("take objects", thrown);
    }
  }
}

const NO_LINK = ["EXDEV", "EPERM", "EACCES", "EMLINK", "ENOTSUP", "ENOSYS"];

interface Kind {
  readonly folder: RegExp;
  readonly file: RegExp;
}

const LOOSE: Kind = { folder: /^[0-9a-f]{2}$/, file: /^([0-9a-f]{38}|[0-9a-f]{62})$/ };
const PACKED: Kind = { folder: /^pack$/, file: /^pack-[0-9a-f]+\.(pack|idx|rev|mtimes|bitmap|promisor)$/ };

/** Whether every listed file was still there. */
async function takeFrom(path: string, folder: string, kind: Kind, take: Take): Promise<boolean> {
  await using objects = await holdFolder(path);
  if (objects === null) throw noStore(path);
  let isWhole = true;
  for (const { name } of (await objects.list()).filter((entry) => kind.folder.test(entry.name.toString()))) {
    await using inner = await objects.enter(name).catch((thrown: unknown) => {
      // Packing removes a folder with its last object.
      if (errno(thrown) === "ENOENT") return null;
      throw noStore(join(path, name.toString()));
    });
    if (inner === null) {
      isWhole = false;
      continue;
    }
    const to = join(folder, name.toString());
    await mkdir(to, { recursive: true });
    const files = (await inner.list()).filter((entry) => kind.file.test(entry.name.toString()));
    await sideBySide(files, async (entry) => {
      const source = join(path, name.toString(), entry.name.toString());
      const taken = await take(inner, entry.name, Buffer.from(join(to, entry.name.toString())), source);
      if (taken === "other") throw noStore(source);
      isWhole &&= taken === "taken";
    });
  }
  return isWhole;
}

function unsteady(from: readonly string[]): HostError {
  return new HostError("worktree_failed", "objects kept disappearing while they were copied", {
    remedy: "try again when no git command packs or prunes the repository",
    details: { from },
  });
}

function noStore(path: string): HostError {
  return new HostError("repository_invalid", `${path} must be a real file or folder of git, not a link`, {
    remedy: "replace the links with files and folders, for example with `git clone`",
    details: { path, reason: "objects" },
  });
}
