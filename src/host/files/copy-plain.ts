import { constants, type Dirent, type Stats } from "node:fs";
import {
  chmod,
  copyFile,
  lchown,
  link,
  lstat,
  mkdir,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { errno } from "../errno.ts";
import { type HeldFolder, pathOfDescriptor } from "./held-folder.ts";

/** `other`: it is no regular file, or no longer the one that was listed. */
export type Taken = "taken" | "gone" | "other";

/** Hard-links one file without following a link. Keeps an existing target. */
export async function linkPlain(from: HeldFolder, name: Buffer, to: Buffer): Promise<Taken> {
  try {
    await link(from.at(name), to);
  } catch (thrown) {
    if (errno(thrown) === "EEXIST") return "taken";
    if (errno(thrown) === "ENOENT") return "gone";
    throw thrown;
  }
  // If a link was put there meanwhile, only the link itself got a second name; nothing was followed.
  if ((await lstat(to)).isFile()) return "taken";
  await rm(to);
  return "other";
}

/** Copies one file (cloned where the file system can). Keeps an existing target. */
export async function copyPlain(
  from: HeldFolder,
  name: Buffer,
  to: Buffer,
  onSeen?: (found: Stats) => void,
): Promise<Taken> {
  await using file = await from.file(name);
  if (file === null) return (await lstat(from.at(name)).catch(() => null)) === null ? "gone" : "other";
  const found = await file.stat();
  onSeen?.(found);
  const source = pathOfDescriptor(file.fd);
  try {
    if (source === null) await writeFile(to, file.createReadStream({ autoClose: false }), { flag: "wx" });
    else await copyFile(source, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (thrown) {
    if (errno(thrown) === "EEXIST") return "taken";
    throw thrown;
  }
  // Keeps the permissions but not the set-id bits, because the copy may have another owner.
  await chmod(to, found.mode & 0o777);
  await giveBack(to, found);
  await utimes(to, found.atimeMs / 1000, found.mtimeMs / 1000);
  return "taken";
}

export interface TreeRules {
  /** Whether a link is recreated as it is or left out. It is never followed. */
  readonly keepsLink: (to: string, place: string) => boolean;
  /** Called for everything that is no file, no folder and no kept link. */
  readonly onOther?: (place: string) => void;
  readonly bytesMax: number;
  readonly entriesMax: number;
}

export class TooMuch extends Error {}

const DEPTH_MAX = 128;

/** Copies a folder recursively through handles: nothing outside is ever read, even if somebody swaps in links. */
export async function copyFolder(from: HeldFolder, to: string, rules: TreeRules): Promise<void> {
  const left = { bytes: rules.bytesMax, entries: rules.entriesMax };
  const walk = async (folder: HeldFolder, target: Buffer, depth: number): Promise<void> => {
    if (depth > DEPTH_MAX) throw new TooMuch("it is too deep");
    const entries = await folder.list();
    left.entries -= entries.length;
    if (left.entries < 0) throw new TooMuch(`it has more than ${rules.entriesMax} entries`);
    await mkdir(target, { recursive: true });
    const place = (name: Buffer) => Buffer.concat([target, Buffer.from("/"), name]);
    await sideBySide(
      entries.filter((one) => !one.isDirectory()),
      async (entry) => {
        const done = entry.isSymbolicLink()
          ? await takeLink(folder, entry, place(entry.name))
          : await takeFile(folder, entry, place(entry.name));
        if (!done) rules.onOther?.(place(entry.name).toString());
      },
    );
    for (const { name } of entries.filter((one) => one.isDirectory())) {
      await using inner = await folder.inner(name);
      if (inner === null) rules.onOther?.(place(name).toString());
      else await walk(inner, place(name), depth + 1);
    }
  };
  const takeFile = async (folder: HeldFolder, { name }: Dirent<Buffer>, target: Buffer): Promise<boolean> => {
    const taken = await copyPlain(folder, name, target, ({ size }) => {
      left.bytes -= size;
      if (left.bytes < 0) throw new TooMuch(`it has more than ${rules.bytesMax} bytes`);
    });
    return taken !== "other";
  };
  const takeLink = async (folder: HeldFolder, { name }: Dirent<Buffer>, target: Buffer): Promise<boolean> => {
    const to = await readlink(folder.at(name), { encoding: "buffer" }).catch(() => null);
    if (to === null || !rules.keepsLink(to.toString(), target.toString())) return false;
    await symlink(to, target);
    return true;
  };
  await walk(from, Buffer.from(to), 0);
}

async function giveBack(path: Buffer, { uid, gid }: Stats): Promise<void> {
  if (process.getuid?.() === 0 && (uid !== 0 || gid !== 0)) await lchown(path, uid, gid);
}

const SIDE_BY_SIDE = 16;

/** After a failure no new work starts, and the error is thrown when all running work has ended. */
export async function sideBySide<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = list.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const one of rest) {
      if (failures.length > 0) return;
      await work(one).catch((thrown: unknown) => failures.push(thrown));
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, list.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
