import { mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "../errno.ts";
import { copyPlain, linkPlain, sideBySide, type Taken } from "../files/copy-plain.ts";
import { type HeldFolder, holdFolder } from "../files/held-folder.ts";
import { HostError } from "../host-error.ts";
import { orFailed } from "./run-tool.ts";

/**
 * How a worktree holds the objects it stands on, in a folder of its own, where a `git gc --prune` over there takes nothing away:
 * `linked`: taken on one disk; `copied`: taken from another disk.
 * `shared`: of before; packs are read where they are, and a repack over there can take them away.
 */
export type ObjectsHeld = "linked" | "copied" | "shared";

const TRIES = 3;

/**
 * The store of another worktree, which its agent can write: it is copied. It becomes the new one's own, so that what was
 * made over there and is nowhere else counts as work here too.
 */
export async function copyOwnObjects(own: string, folder: string): Promise<void> {
  await mkdir(join(folder, "pack"), { recursive: true });
  await everything([own], folder, copy);
}

/** The objects that another worktree stands on: they were chosen when it was made. */
export async function holdObjects(from: readonly string[], folder: string): Promise<ObjectsHeld> {
  await mkdir(join(folder, "pack"), { recursive: true });
  if ((await areNear(from, folder)) && (await everything(from, folder, linkPlain))) return "linked";
  await everything(from, folder, copy);
  return "copied";
}

/**
 * All objects of a repository, for a git of ours to choose from; it is never shown to an agent. Nothing is written to `from`.
 * Only objects are taken, not where else there are some; no link is followed, so what is not theirs does not come along.
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
 * A pack is left where it is and led to. Its index is ours: whoever puts somebody else's pack in its place would have to
 * know what is in that one, for git holds a pack against its index.
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
 * Loose objects first, packs last: who packs meanwhile writes the pack before he removes what it holds. A file that went
 * away between being seen and being taken is in a newer pack, so the round is made again. False: the file system has no
 * second names, or the files are somebody else's.
 */
async function everything(from: readonly string[], folder: string, take: Take): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      let isWhole = true;
      for (const kind of [LOOSE, PACKED])
        for (const path of from) isWhole = (await takeFrom(path, folder, kind, take)) && isWhole;
      if (isWhole) return true;
      if (tries === TRIES) throw unsteady(from);
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

/** Whether everything that was seen was still there. */
async function takeFrom(path: string, folder: string, kind: Kind, take: Take): Promise<boolean> {
  await using objects = await holdFolder(path);
  if (objects === null) throw noStore(path);
  let isWhole = true;
  for (const { name } of (await objects.list()).filter((entry) => kind.folder.test(entry.name.toString()))) {
    await using inner = await objects.inner(name);
    if (inner === null) throw noStore(join(path, name.toString()));
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
  return new HostError("worktree_failed", "objects went away while they were being taken, again and again", {
    remedy: "try again when no git command packs or prunes the repository",
    details: { from },
  });
}

function noStore(path: string): HostError {
  return new HostError("repository_invalid", `${path} is not what git puts there: it is a link, or something else`, {
    remedy: "replace the links with files and folders, for example with `git clone`",
    details: { path, reason: "objects" },
  });
}
