import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { unless } from "../../errno.ts";
import { pathOfDescriptor } from "../../files/held-folder.ts";
import { listed } from "../diff/compare.ts";
import type { Objects } from "../packs/objects.ts";
import type { SnapshotRecord } from "../packs/record.ts";
import { type ByteName, byteNameOf, pathOf } from "../walk/byte-path.ts";
import { type Folder, openTop } from "../walk/folder.ts";
import type { Entry } from "../walk/listing.ts";
import { GONE, OPEN_FILE, UNREADABLE } from "../walk/read-content.ts";

export interface Seeding {
  readonly objects: Pick<Objects, "get">;
  readonly target: SnapshotRecord;
  /** A tree that probably has most of the files. An agent may be at work in it. */
  readonly from: string;
  /** New: nobody else knows it. */
  readonly to: string;
  readonly isLeftOut: (name: ByteName, path: ByteName) => boolean;
  readonly withOwner: boolean;
  readonly buffer: Buffer;
  readonly onBytes: (bytes: number) => void;
}

/** Smaller files share blocks of a pack, and come out of it as fast. */
const SEED_BYTES_MIN = 65_536;

/**
 * Takes large files for a new tree from another one instead of the store. Where the file system can, both then share
 * their blocks; elsewhere the bytes are copied, which spares unpacking. That a file is the right one is a guess by size:
 * the restore that follows reads them all, and writes those that differ out of the store. Returns how many were taken.
 */
export function* seedTree(seeding: Seeding): Generator<void, number> {
  const { target, from, to } = seeding;
  const { bavail, bsize } = statfsSync(to);
  // The restore refuses a full disk, and knows how much is really needed.
  if (target.bytes > bavail * bsize) return 0;
  const seeder: Seeder = { ...seeding, linked: new Set(target.sameFiles.flat()), canClone: true };
  const [source, place] = [openTop(byteNameOf(from)), openTop(byteNameOf(to))];
  try {
    return yield* seedFolder(seeder, target.listing, source, place);
  } finally {
    source.close();
    place.close();
  }
}

interface Seeder extends Seeding {
  /** Hard links, which the restore makes. */
  readonly linked: ReadonlySet<ByteName>;
  canClone: boolean;
}

function* seedFolder(seeder: Seeder, listing: string, source: Folder, place: Folder): Generator<void, number> {
  let taken = 0;
  for (const entry of listed(seeder.objects, listing)) {
    const path = place.path === "" ? entry.name : `${place.path}/${entry.name}`;
    if (seeder.linked.has(path) || seeder.isLeftOut(entry.name, path)) continue;
    const isLarge = (entry.kind === "file" || entry.kind === "chunked") && entry.size >= SEED_BYTES_MIN;
    if (entry.kind === "directory") taken += yield* seedInner(seeder, entry, source, place);
    if (isLarge && (yield* seedFile(seeder, entry, source, place))) taken += 1;
  }
  return taken;
}

function* seedInner(seeder: Seeder, { name, object }: Entry, source: Folder, place: Folder): Generator<void, number> {
  const [inner, made] = [source.inner(name), place.inner(name)];
  try {
    if (unless(NOT_THERE, () => inner.descriptor()) === null) return 0;
    unless(["EEXIST"], () => mkdirSync(pathOf(`${place.held()}/${name}`), 0o700));
    return yield* seedFolder(seeder, object, inner, made);
  } finally {
    inner.close();
    made.close();
  }
}

/** Gone, or of another kind by now; or what was made before is in the way. */
const NOT_THERE = [...GONE, ...UNREADABLE, "EEXIST"];

function* seedFile(seeder: Seeder, entry: Entry, source: Folder, place: Folder): Generator<void, boolean> {
  const fd = unless(NOT_THERE, () => openSync(pathOf(`${source.held()}/${entry.name}`), OPEN_FILE));
  if (fd === null) return false;
  const to = pathOf(`${place.held()}/${entry.name}`);
  try {
    const stat = fstatSync(fd);
    const { size, blocks } = stat;
    // The holes of a sparse file are known to the store.
    if (!stat.isFile() || size !== entry.size || blocks * STAT_BLOCK_BYTES < size) return false;
    if (!(seeder.canClone && clone(seeder, fd, to))) yield* copy(seeder, fd, to, size);
    if (seeder.withOwner) chownSync(to, entry.uid, entry.gid);
    chmodSync(to, entry.mode);
    seeder.onBytes(size);
    return true;
  } finally {
    closeSync(fd);
  }
}

const STAT_BLOCK_BYTES = 512;

/** False when this file system cannot; it is not asked again. */
function clone(seeder: Seeder, fd: number, to: string | Buffer): boolean {
  const from = pathOfDescriptor(fd);
  const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE;
  const cloned = (path: string): true => {
    copyFileSync(path, to, flags);
    return true;
  };
  seeder.canClone = from !== null && unless(CANNOT_CLONE, () => cloned(from)) === true;
  return seeder.canClone;
}

const CANNOT_CLONE = ["ENOTSUP", "EOPNOTSUPP", "EXDEV", "EINVAL", "ENOSYS", "ENOTTY", "EPERM", "ETXTBSY"];

/** Never more than the expected size: somebody may make the file grow. */
function* copy({ buffer }: Seeder, fd: number, to: string | Buffer, size: number): Generator<void> {
  const made = openSync(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    for (let at = 0; at < size; ) {
      const bytes = readSync(fd, buffer, 0, Math.min(buffer.length, size - at), at);
      if (bytes === 0) break;
      for (let done = 0; done < bytes; ) done += writeSync(made, buffer, done, bytes - done);
      at += bytes;
      yield;
    }
  } finally {
    closeSync(made);
  }
}
