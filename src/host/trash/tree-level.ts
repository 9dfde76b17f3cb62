import { constants, type Dir, type Dirent } from "node:fs";
import { chmod, type FileHandle, open, opendir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errno } from "../errno.ts";
import { pathOfDescriptor } from "../files/held-folder.ts";

/** A folder on the way down a tree that is being removed. Names are bytes as latin1. */
export interface Level {
  /** Null while closed to save descriptors. */
  handle: FileHandle | null;
  stream: Dir | null;
  readonly dev: bigint;
  readonly ino: bigint;
  /** Null when there is no mount below the top, so that no check is needed. */
  readonly mount: string | null;
  readonly name: string;
  /** For people. */
  readonly shown: string;
  /** Names that cannot be removed. */
  readonly skipped: Set<string>;
  /** Something was removed in this pass. */
  isChanged: boolean;
  passes: number;
  /** Null at the end of a pass. */
  readonly next: () => Promise<Dirent | null>;
}

/** A Linux flag that Node does not define: opens without reading, so no permission is needed. */
const O_PATH = 0o10000000;
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const OWNER_ALL = 0o700;
const SHOWN_CHARS_MAX = 4096;

/** Whether something is mounted in or on this tree. */
export async function mountsBelow(path: string): Promise<boolean> {
  const table = await readFile("/proc/self/mountinfo", "latin1").catch(() => null);
  if (table === null) return true;
  const spelled = Buffer.from(path)
    .toString("latin1")
    .replace(/[\s\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`);
  return table.split("\n").some((line) => {
    const point = line.split(" ")[4] ?? "";
    return point === spelled || point.startsWith(`${spelled}/`);
  });
}

/** A string is the reason why it cannot be entered. */
export async function topLevel(path: string, hasMounts: boolean): Promise<Level | string> {
  const around = hasMounts ? await open(dirname(path), O_PATH | O_DIRECTORY) : null;
  try {
    const mount = around === null ? null : await mountOf(around);
    return await enter(Buffer.from(path), { name: "", shown: path, mount });
  } finally {
    await around?.close();
  }
}

export function enterFolder(above: Level, name: string): Promise<Level | string> {
  // The middle of a very long path is left out.
  const shown =
    above.shown.length > SHOWN_CHARS_MAX ? above.shown : `${above.shown}/${Buffer.from(name, "latin1").toString()}`;
  return enter(nameIn(above, name), { name, shown, mount: above.mount });
}

async function enter(place: Buffer, given: Pick<Level, "name" | "shown" | "mount">): Promise<Level | string> {
  try {
    const handle = await openFolder(place, given.mount);
    if (handle === null) return "mount";
    const { dev, ino, mode } = await handle.stat({ bigint: true });
    const level: Level = {
      ...given,
      ...{ handle, stream: null, dev, ino, isChanged: false, passes: 0, skipped: new Set() },
      next: async () => {
        level.stream ??= await opendir(placeOf(level), { encoding: "latin1" });
        return level.stream.read();
      },
    };
    await openUp(handle, mode);
    return level;
  } catch (thrown) {
    return errno(thrown) ?? String(thrown);
  }
}

/** Never through a link. Null when another file system is mounted there. */
async function openFolder(place: Buffer, mount: string | null): Promise<FileHandle | null> {
  const flags = O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
  if (mount === null) {
    const handle = await open(place, O_RDONLY | flags).catch(unlessClosed);
    if (handle !== null) return handle;
  }
  // A folder that its owner may not read, or one whose mount must be checked before it is read.
  const seen = await open(place, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    if (mount !== null && (await mountOf(seen)) !== mount) return null;
    await openUp(seen, (await seen.stat({ bigint: true })).mode);
    return await open(pathOf(seen), O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  } finally {
    await seen.close();
  }
}

/** Through the handle, so that it affects this folder whatever its name means now. */
async function openUp(handle: FileHandle, mode: bigint): Promise<void> {
  if ((Number(mode) & OWNER_ALL) === OWNER_ALL) return;
  await chmod(pathOf(handle), OWNER_ALL).catch((thrown: unknown) => {
    // The folder belongs to somebody else; the removal of its entries will report that.
    if (!["EPERM", "EROFS", "EACCES"].includes(errno(thrown) ?? "")) throw thrown;
  });
}

/**
 * Gives its owner all permissions on a folder that is no link. Best effort: later operations report what is missing.
 */
export async function openUpFolder(path: string): Promise<void> {
  if (process.platform !== "linux") return;
  const seen = await open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW).catch(() => null);
  if (seen === null) return;
  try {
    await openUp(seen, (await seen.stat({ bigint: true })).mode);
  } finally {
    await seen.close();
  }
}

async function mountOf({ fd }: FileHandle): Promise<string> {
  const [, id = "unknown"] = /^mnt_id:\s*(\d+)/m.exec(await readFile(`/proc/self/fdinfo/${fd}`, "latin1")) ?? [];
  return id;
}

function unlessClosed(thrown: unknown): null {
  if (errno(thrown) === "EACCES") return null;
  throw thrown;
}

/** Reopens the parent if it was closed; false when the folder now has another parent. */
export async function levelAbove(level: Level, parent: Level): Promise<boolean> {
  if (parent.handle !== null) return true;
  const handle = await open(`${placeOf(level)}/..`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const { dev, ino } = await handle.stat({ bigint: true });
  if (dev === parent.dev && ino === parent.ino) {
    parent.handle = handle;
    return true;
  }
  await handle.close();
  return false;
}

export function nameIn(level: Level, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${placeOf(level)}/`), Buffer.from(name, "latin1")]);
}

function placeOf({ handle }: Level): string {
  if (handle === null) throw new Error("the folder is closed");
  return pathOf(handle);
}

function pathOf({ fd }: FileHandle): string {
  const path = pathOfDescriptor(fd);
  if (path === null) throw new Error("this system cannot hold a folder");
  return path;
}

/** Starts reading from the beginning again. */
export async function rewind(level: Level): Promise<void> {
  level.passes += 1;
  level.isChanged = false;
  const { stream } = level;
  level.stream = null;
  await stream?.close();
}

export async function closeLevel(level: Level): Promise<void> {
  const { stream, handle } = level;
  level.stream = null;
  level.handle = null;
  await stream?.close();
  await handle?.close();
}
