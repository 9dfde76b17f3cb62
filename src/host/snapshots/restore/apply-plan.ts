import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import type { Order, Seen } from "./restore-orders.ts";
import { TEMPORARY_PREFIX } from "./temporary-name.ts";

/**
 * The only program that changes files for a restore. It runs in a sandbox where the tree is the current directory and
 * the only writable place, reads orders from stdin and answers with one line of JSON. It writes no file in place:
 * everything is made under a temporary name first, so that each name always has its old or its new content, and nothing
 * is written through a hard or symbolic link that leads out of the tree.
 */
const TEMPORARY = `${TEMPORARY_PREFIX}${process.pid}`;
const kept: string[] = [];
/** Directories that were made writable for a change, with their former modes. */
const opened = new Map<string, number>();
const at = { op: "begin", path: "" };

try {
  run();
  process.stdout.write(`${JSON.stringify({ ok: true, kept })}\n`);
} catch (error) {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  process.stdout.write(`${JSON.stringify({ ok: false, ...at, code })}\n`);
  process.exitCode = 1;
}

function run(): void {
  const first = next();
  if (first.order.op !== "begin") throw new Error("no beginning");
  const { dev, ino, withOwner } = first.order;
  const top = lstatSync(".");
  // The mounted directory may not be the one that was examined.
  if (top.dev !== dev || top.ino !== ino) throw Object.assign(new Error("moved"), { code: "TREE_MOVED" });
  while (true) {
    const { order, data } = next();
    if (order.op === "end") break;
    if (order.op === "begin" || order.op === "more") throw new Error(`no ${order.op} here`);
    [at.op, at.path] = [order.op, order.path];
    follow(order, data, withOwner);
  }
  for (const [path, mode] of opened) ignoring(["ENOENT"], () => chmodSync(placeOf(path), mode));
  flush();
}

function follow(order: Exclude<Order, { op: "begin" | "more" | "end" }>, data: Buffer, withOwner: boolean): void {
  const place = placeOf(order.path);
  switch (order.op) {
    case "remove":
      reaching(order.path, () => remove(place, order));
      break;
    case "directory":
      reaching(order.path, () => ignoring(["EEXIST"], () => mkdirSync(place, 0o700)));
      break;
    case "file":
      put(order, (temporary) => writeFile(temporary, order, data, withOwner));
      break;
    case "link":
      put(order, (temporary) => symlinkSync(Buffer.from(order.target, "latin1"), temporary));
      break;
    case "same":
      put(order, (temporary) => linkSync(placeOf(order.as), temporary));
      break;
    case "fifo":
      put(order, (temporary) => {
        makeFifo();
        renameSync(TEMPORARY, temporary);
        set(temporary, order, withOwner);
      });
      break;
    case "setting":
      opened.delete(order.path);
      reaching(order.path, () => set(place, order, withOwner));
      break;
  }
}

function placeOf(path: string): Buffer {
  return Buffer.from(path === "" ? "." : `./${path}`, "latin1");
}

/** Makes a read-only directory writable, but only if the work fails without: root can write anyway. */
function reaching(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EACCES")) throw error;
    const parts = path.split("/").slice(0, -1);
    for (let n = 0; n <= parts.length; n += 1) open(parts.slice(0, n).join("/"));
    work();
  }
}

function open(path: string): void {
  const stat = lstatSync(placeOf(path));
  if (!stat.isDirectory() || (stat.mode & 0o700) === 0o700) return;
  const mode = stat.mode & 0o7777;
  if (!opened.has(path)) opened.set(path, mode);
  chmodSync(placeOf(path), mode | 0o700);
}

function remove(place: Buffer, { path, isDirectory, seen }: Extract<Order, { op: "remove" }>): void {
  if (isDirectory) removeDirectory(place, path);
  // Somebody else may have removed it, or put a file in the place of a directory above it.
  else ignoring(["ENOENT", "ENOTDIR"], () => isAsSeen(place, seen) && unlinkSync(place));
}

/** False when somebody changed it since the walk. Then it is left alone, and the next round does not include it. */
function isAsSeen(place: Buffer, seen: Seen | null): boolean {
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined || seen === null) return stat === undefined;
  return stat.ino === seen.ino && stat.mtimeMs === seen.mtimeMs;
}

/** If it still holds left-out files, they stay, and so does the directory. */
function removeDirectory(place: Buffer, path: string): void {
  try {
    rmdirSync(place);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT") return;
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "EBUSY") throw error;
    kept.push(path);
  }
}

/** Makes it under a temporary name beside the target, then renames it. */
function put(
  { path, seen }: { readonly path: string; readonly seen: Seen | null },
  make: (temporary: Buffer) => void,
): void {
  const slash = path.lastIndexOf("/");
  const temporary = placeOf(`${path.slice(0, slash + 1)}${TEMPORARY}`);
  reaching(path, () => {
    ignoring(["ENOENT"], () => unlinkSync(temporary));
    make(temporary);
    if (isAsSeen(placeOf(path), seen)) renameSync(temporary, placeOf(path));
    else unlinkSync(temporary);
  });
}

/** Made at the top first, because a directory's name may not be valid as an argument. */
function makeFifo(): void {
  const { status } = spawnSync("mkfifo", [TEMPORARY]);
  if (status !== 0) throw Object.assign(new Error("mkfifo"), { code: "NO_MKFIFO" });
}

type Settings = { readonly mode: number; readonly uid: number; readonly gid: number };

function set(place: Buffer, { mode, uid, gid }: Settings, withOwner: boolean): void {
  // The owner first, because changing the owner clears the set-uid bit.
  if (withOwner) chownSync(place, uid, gid);
  chmodSync(place, mode);
}

function writeFile(
  temporary: Buffer,
  file: Settings & { readonly size: number },
  data: Buffer,
  withOwner: boolean,
): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(temporary, flags, 0o600);
  try {
    let done = 0;
    for (let piece = data; piece.length > 0; piece = done < file.size ? moreData() : Buffer.alloc(0)) {
      // A piece of zeros becomes a hole again.
      if (!isHole(piece)) writeAll(fd, piece, done);
      done += piece.length;
    }
    ftruncateSync(fd, file.size);
    if (withOwner) fchownSync(fd, file.uid, file.gid);
    fchmodSync(fd, file.mode);
  } finally {
    closeSync(fd);
  }
}

function moreData(): Buffer {
  const { order, data } = next();
  if (order.op !== "more") throw new Error("the file is not whole");
  return data;
}

function writeAll(fd: number, bytes: Buffer, from: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, from + done);
}

function isHole(piece: Buffer): boolean {
  return piece.length >= 65_536 && piece[0] === 0 && piece.equals(Buffer.alloc(piece.length));
}

/** A finished restore must survive a power cut. One call flushes all files; the kernel knows which are new. */
function flush(): void {
  const { status } = spawnSync("sync", ["-f", "."]);
  if (status !== 0) throw Object.assign(new Error("sync"), { code: "NO_SYNC" });
}

function next(): { readonly order: Order; readonly data: Buffer } {
  const head = read(8);
  const text = read(head.readUInt32BE(0));
  // Our own data, from our own pipe.
  return { order: JSON.parse(text.toString("utf8")) as Order, data: read(head.readUInt32BE(4)) };
}

/** Input that ends too early was cut off: nothing more is done. */
function read(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const got = readSync(0, bytes, filled, length - filled, null);
    if (got === 0) throw Object.assign(new Error("cut"), { code: "ORDERS_CUT" });
    filled += got;
  }
  return bytes;
}

function ignoring(codes: readonly string[], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && codes.includes(String(error.code)))) throw error;
  }
}
