import { fstatSync, lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statfsSync } from "node:fs";
import { errno } from "../../errno.ts";
import type { Batch } from "../packs/objects.ts";
import type { LeftOutWhy, SnapshotRecord } from "../packs/record.ts";
import { SnapshotError } from "../snapshot-error.ts";
import { type ByteName, byteNameOf, pathOf } from "./byte-path.ts";
import { createFindings, type Findings } from "./findings.ts";
import { type Folder, openTop } from "./folder.ts";
import {
  findKnown,
  isSettled,
  type KnownDirectory,
  type KnownEntry,
  type KnownTree,
  looksTheSame,
  MODE_BITS,
} from "./known-tree.ts";
import { encodeListing, type Kind } from "./listing.ts";
import { type Content, GONE, readContent, UNREADABLE } from "./read-content.ts";

export interface WalkOptions {
  /** Absolute, without links. */
  readonly root: string;
  /** Whether a rule leaves this out; the path is relative to the top. */
  readonly isLeftOut: (name: ByteName, path: ByteName) => boolean;
  readonly filesMax: number;
  readonly bytesMax: number;
  readonly known: KnownTree | null;
  readonly batch: Batch;
  /** Reused for every file. */
  readonly buffer: Buffer;
  readonly nowMs: number;
  /** As in `TreeSpec`; absent: now. */
  readonly quietSinceMs?: number;
  /** Called with the size of each file that was read. */
  readonly onRead?: (bytes: number) => void;
}

export interface Walked {
  readonly tree: KnownTree;
  readonly record: SnapshotRecord;
}

/** How often a file that changes during a read is read again. Then it is stored as last read and marked unsettled. */
const TRIES = 3;
const DEPTH_MAX = 200;
/** The system accepts no longer paths, and a restore must name everything from the top. */
const PATH_BYTES_MAX = 3500;

/** Walks the whole tree and adds new contents to the batch. Yields often, so that other calls get their turn. */
export function* walk(options: WalkOptions): Generator<void, Walked> {
  const { root, known, batch, nowMs } = options;
  const top = openRoot(root);
  const seen = createFindings(options);
  try {
    const stat = fstatSync(top.descriptor());
    const isSame =
      known?.isTrusted === true &&
      known.dev === stat.dev &&
      known.ino === stat.ino &&
      known.ctimeMs === stat.ctimeMs &&
      known.mtimeMs === stat.mtimeMs;
    const walker = { ...options, dev: stat.dev, seen, filesMs: trustedBefore(options) };
    const directory = yield* visit(walker, top, known?.dev === stat.dev ? known.top : null, isSame);
    const { dev, ino, ctimeMs, mtimeMs, mode, uid, gid } = stat;
    const tree = { dev, ino, ctimeMs, mtimeMs, isTrusted: isSettled(ctimeMs, nowMs), top: directory };
    const record: SnapshotRecord = {
      format: 1,
      listing: directory.listing,
      mode: mode & MODE_BITS,
      uid,
      gid,
      ...seen.summary(),
    };
    return { tree, record };
  } catch (error) {
    batch.abandon();
    throw translated(error, root);
  } finally {
    top.close();
  }
}

interface Walker extends WalkOptions {
  readonly dev: number;
  readonly seen: Findings;
  /** A file with a change time before this shows a new change time when it changes again. */
  readonly filesMs: number;
}

/** In memory-only file systems a mapped file never gets a new change time, so every file is read there. */
function trustedBefore({ root, nowMs, quietSinceMs = nowMs }: WalkOptions): number {
  return IN_MEMORY.includes(statfsSync(root).type) ? 0 : Math.min(nowMs, quietSinceMs);
}

/** tmpfs, ramfs. */
const IN_MEMORY = [0x01021994, 0x858458f6];

function openRoot(root: string): Folder {
  try {
    if (realpathSync(root) !== root) throw new SnapshotError("tree_moved", { root });
    const top = openTop(byteNameOf(root));
    top.descriptor();
    return top;
  } catch (error) {
    throw translated(error, root);
  }
}

function translated(error: unknown, root: string): unknown {
  const code = errno(error) ?? "";
  if (code === "ENOENT" || code === "ENOTDIR") return new SnapshotError("tree_missing", { root }, error);
  if (code === "ELOOP") return new SnapshotError("tree_moved", { root }, error);
  if (UNREADABLE.includes(code)) return new SnapshotError("tree_unreadable", { root, code }, error);
  return error;
}

/** One directory with everything below. `isSame`: its names match the known ones. */
function* visit(
  walker: Walker,
  folder: Folder,
  known: KnownDirectory | null,
  isSame: boolean,
): Generator<void, KnownDirectory> {
  if (known !== null && isSame) {
    const entries: KnownEntry[] = [];
    let changed = false;
    for (const old of known.entries) {
      const entry = yield* look(walker, folder, old);
      if (entry !== old) changed = true;
      if (entry !== null) entries.push(entry);
    }
    yield;
    return changed ? keep(walker, entries) : known;
  }
  for (let tries = 1; ; tries += 1) {
    const mark = walker.seen.mark();
    const before = fstatSync(folder.descriptor());
    const names = readdirSync(pathOf(folder.held()), { encoding: "latin1" }).sort();
    const entries: KnownEntry[] = [];
    for (const name of names) {
      const entry = yield* examine(walker, folder, name, findKnown(known, name));
      if (entry !== null) entries.push(entry);
    }
    yield;
    const after = fstatSync(folder.descriptor());
    const isQuiet = after.ctimeMs === before.ctimeMs && after.mtimeMs === before.mtimeMs;
    if (!isQuiet && tries < TRIES) {
      walker.seen.back(mark);
      continue;
    }
    if (!isQuiet) walker.seen.unsettled(`${folder.path}/`);
    return keep(walker, entries);
  }
}

function keep({ batch }: Walker, entries: readonly KnownEntry[]): KnownDirectory {
  return { entries, listing: batch.put(encodeListing(entries)) };
}

/** Looks by name, which is fast. Unless it is the very same file as before, it is examined through descriptors. */
function* look(walker: Walker, folder: Folder, old: KnownEntry): Generator<void, KnownEntry | null> {
  const stat = statOrNull(`${folder.spelled}/${old.name}`);
  if (stat === null || !old.isTrusted || !looksTheSame(old, stat) || stat.dev !== walker.dev)
    return yield* examine(walker, folder, old.name, old);
  if (old.kind === "directory") {
    const inner = folder.inner(old.name);
    try {
      walker.seen.directory();
      const directory = yield* visit(walker, inner, old.directory, true);
      return directory === old.directory ? old : { ...old, directory, object: directory.listing };
    } finally {
      inner.close();
    }
  }
  walker.seen.entry(folder, old);
  return old;
}

function statOrNull(path: ByteName): Stats | null {
  try {
    return lstatSync(pathOf(path), { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (errno(error) !== undefined) return null;
    throw error;
  }
}

/** Through descriptors only. Null when it is gone. */
function* examine(
  walker: Walker,
  folder: Folder,
  name: ByteName,
  old: KnownEntry | null,
): Generator<void, KnownEntry | null> {
  const path = folder.path === "" ? name : `${folder.path}/${name}`;
  if (walker.isLeftOut(name, path)) return leaveOut(walker, folder, name, "rule");
  if (folder.depth >= DEPTH_MAX || path.length > PATH_BYTES_MAX) return leaveOut(walker, folder, name, "too deep");
  const place = `${folder.held()}/${name}`;
  for (let tries = 1; ; tries += 1) {
    const stat = statOrNull(place);
    if (stat === null) return null;
    if (stat.dev !== walker.dev) return leaveOut(walker, folder, name, "mount");
    const mark = walker.seen.mark();
    try {
      const entry = yield* describe(walker, folder, { name, place, stat, old });
      if (entry !== null || tries === TRIES) return entry;
    } catch (error) {
      const code = errno(error) ?? "";
      if (UNREADABLE.includes(code)) return leaveOut(walker, folder, name, "unreadable");
      if (!GONE.includes(code) && code !== "EINVAL") throw error;
      if (tries === TRIES) return null;
    }
    walker.seen.back(mark);
  }
}

interface Found {
  readonly name: ByteName;
  readonly place: ByteName;
  readonly stat: Stats;
  readonly old: KnownEntry | null;
}

/** Null when its kind changed while it was examined. */
function* describe(walker: Walker, folder: Folder, found: Found): Generator<void, KnownEntry | null> {
  const { name, place, stat, old } = found;
  if (stat.isDirectory()) {
    const inner = folder.inner(name);
    try {
      if (fstatSync(inner.descriptor()).ino !== stat.ino) return null;
      walker.seen.directory();
      const isSame = old?.kind === "directory" && old.isTrusted && looksTheSame(old, stat);
      const directory = yield* visit(walker, inner, old?.directory ?? null, isSame);
      return entryOf(walker, name, "directory", stat, { object: directory.listing, directory });
    } finally {
      inner.close();
    }
  }
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(pathOf(place), { encoding: "latin1" });
    return noted(walker, folder, entryOf(walker, name, "link", stat, { target }));
  }
  if (!stat.isFile()) {
    const kind = stat.isFIFO() ? "fifo" : stat.isSocket() ? "socket" : "device";
    return noted(walker, folder, entryOf(walker, name, kind, stat, {}));
  }
  if (old?.isTrusted === true && (old.kind === "file" || old.kind === "chunked") && looksTheSame(old, stat))
    return noted(walker, folder, old);
  walker.seen.mayRead(stat.size);
  const content = yield* readQuietly(walker, place, stat.ino);
  if (content === null) return null;
  if (content === "unreadable") return leaveOut(walker, folder, name, "unreadable");
  const { kind, object, size, isSettled: isQuiet } = content;
  walker.onRead?.(size);
  if (!isQuiet) walker.seen.unsettled(folder.path === "" ? name : `${folder.path}/${name}`);
  const entry = entryOf(walker, name, kind, content.stat, { object, size });
  return noted(walker, folder, isQuiet ? entry : { ...entry, isTrusted: false });
}

function* readQuietly(walker: Walker, place: ByteName, ino: number): Generator<void, Content | "unreadable" | null> {
  for (let tries = 1; ; tries += 1) {
    const content = yield* readContent(place, ino, walker.batch, walker.buffer);
    if (content === null || content === "unreadable" || content.isSettled || tries === TRIES) return content;
  }
}

function noted({ seen }: Walker, folder: Folder, entry: KnownEntry): KnownEntry {
  seen.entry(folder, entry);
  return entry;
}

/** Records only that it exists. */
function leaveOut(walker: Walker, folder: Folder, name: ByteName, why: LeftOutWhy): KnownEntry {
  const nothing = { kind: "left-out", mode: 0, uid: 0, gid: 0, size: 0, object: "" } as const;
  const unknown = { ino: 0, mtimeMs: 0, ctimeMs: 0, links: 1, isTrusted: false, directory: null };
  return noted(walker, folder, { name, why, target: why === "rule" ? "" : why, ...nothing, ...unknown });
}

function entryOf(
  { nowMs, filesMs }: Walker,
  name: ByteName,
  kind: Kind,
  stat: Stats,
  more: Partial<Pick<KnownEntry, "object" | "target" | "directory" | "size">>,
): KnownEntry {
  const { uid, gid, ino, mtimeMs, ctimeMs, nlink } = stat;
  return {
    kind,
    name,
    // The mode of a link has no meaning and cannot be set.
    mode: kind === "link" ? 0 : stat.mode & MODE_BITS,
    uid,
    gid,
    size: 0,
    object: "",
    target: "",
    ino,
    mtimeMs,
    ctimeMs,
    links: nlink,
    isTrusted: isSettled(ctimeMs, kind === "file" || kind === "chunked" ? filesMs : nowMs),
    directory: null,
    why: "",
    ...more,
  };
}
