import { lstat, rm, rmdir, unlink } from "node:fs/promises";
import { errno } from "../errno.ts";
import {
  closeLevel,
  enterFolder,
  type Level,
  levelAbove,
  mountsBelow,
  nameIn,
  rewind,
  topLevel,
} from "./tree-level.ts";

/** Something that could not be removed, and why. */
export interface Left {
  readonly path: string;
  /** The system's code (`EACCES`), or one of ours: `mount`, `moved`, `stopped`, `too_many`. */
  readonly reason: string;
}

export interface RemoveOptions {
  /** Checked between entries. When it aborts, the rest is left with the reason `stopped`. */
  readonly signal?: AbortSignal | undefined;
  /** How many names are removed in one call; the rest is left with the reason `too_many`. */
  readonly entriesMax?: number;
}

const ENTRIES_MAX = 20_000_000;
/** How many leftovers are named; the walk continues beyond that. */
const LEFT_MAX = 20;
/** After this many failures nothing here is likely to be removable. */
const FAILURES_MAX = 10_000;
/** A folder is read several times: somebody may still write into it, and deleting during a read may hide entries. */
const PASSES_MAX = 4;
/** How many parent folders stay open; those further up are reopened through `..`. */
const OPEN_MAX = 24;
const UNLINKS_AT_ONCE = 32;
const PATH_CHARS_MAX = 400;
const HAS_PROC = process.platform === "linux";

/**
 * Removes a file or a whole tree that an agent may have filled. Returns what is left, usually nothing; it does not
 * throw for what it finds. Each folder is opened from its parent, never through a link or across a mount, so that no
 * tree is too deep. A closed folder is made accessible through its handle first.
 */
export async function removeTree(path: string, options: RemoveOptions = {}): Promise<readonly Left[]> {
  const walk: Walk = {
    left: [],
    failures: 0,
    isCut: false,
    entries: options.entriesMax ?? ENTRIES_MAX,
    signal: options.signal,
  };
  try {
    await removeTop(walk, path);
  } catch (thrown) {
    note(walk, path, reasonOf(thrown));
  }
  return walk.left;
}

interface Walk {
  readonly left: Left[];
  failures: number;
  /** Nothing more is removed: stopped, or at a limit. */
  isCut: boolean;
  entries: number;
  readonly signal: AbortSignal | undefined;
}

async function removeTop(walk: Walk, path: string): Promise<void> {
  const found = await lstat(path).catch(orGone);
  if (found === null) return;
  if (!found.isDirectory()) return unlink(path);
  if (!HAS_PROC) return rm(path, { recursive: true, force: true, maxRetries: PASSES_MAX });
  const top = await topLevel(path, await mountsBelow(path));
  if (typeof top === "string") return note(walk, path, top);
  const levels = [top];
  try {
    await empty(walk, levels);
  } finally {
    for (const level of levels) await closeLevel(level);
  }
  await rmdir(path).catch((thrown: unknown) => {
    if (errno(thrown) !== "ENOENT" && walk.left.length === 0) note(walk, path, reasonOf(thrown));
  });
}

/** Depth first without recursion, because a tree may be deeper than any stack. */
async function empty(walk: Walk, levels: Level[]): Promise<void> {
  for (;;) {
    const level = levels.at(-1);
    if (level === undefined) return;
    const inner = await clear(walk, level);
    if (inner !== null) {
      levels.push(inner);
      const spare = levels.at(-1 - OPEN_MAX);
      if (spare !== undefined) await closeLevel(spare);
      continue;
    }
    if (levels.length === 1) return;
    levels.pop();
    await leave(walk, level, levels);
  }
}

/** Removes what it can at this level. Returns the next folder to enter, or null when there is none. */
async function clear(walk: Walk, level: Level): Promise<Level | null> {
  for (;;) {
    const batch: string[] = [];
    let folder: string | null = null;
    while (folder === null && batch.length < UNLINKS_AT_ONCE) {
      const entry = await level.next();
      if (entry === null) break;
      if (level.skipped.has(entry.name)) continue;
      if (entry.isDirectory()) folder = entry.name;
      else batch.push(entry.name);
    }
    if (!mayGoOn(walk, level, batch.length + 1)) return null;
    const folders = (await Promise.all(batch.map((name) => drop(walk, level, name)))).filter((name) => name !== null);
    for (const name of folder === null ? folders : [...folders, folder]) {
      const inner = await enterFolder(level, name);
      if (typeof inner !== "string") return inner;
      miss(walk, level, name, inner);
    }
    if (folder === null && batch.length === 0 && !(await anotherPass(level))) return null;
  }
}

async function anotherPass(level: Level): Promise<boolean> {
  if (!level.isChanged || level.passes >= PASSES_MAX) return false;
  await rewind(level);
  return true;
}

/** Returns the name if it turns out to be a folder, on a file system that does not report kinds. */
async function drop(walk: Walk, level: Level, name: string): Promise<string | null> {
  try {
    await unlink(nameIn(level, name));
    level.isChanged = true;
  } catch (thrown) {
    const code = reasonOf(thrown);
    if (code === "EISDIR") return name;
    if (code !== "ENOENT") miss(walk, level, name, code);
  }
  return null;
}

/** Returns to the parent, through `..` if it was closed meanwhile, but only if it is still the same folder. */
async function leave(walk: Walk, level: Level, above: Level[]): Promise<void> {
  const parent = above.at(-1);
  if (parent === undefined) return;
  const isThere = await levelAbove(level, parent);
  await closeLevel(level);
  if (!isThere) {
    // Somebody moved it: its parent is now another folder, which must not be touched.
    note(walk, level.shown, "moved");
    walk.isCut = true;
    for (const one of above) await closeLevel(one);
    above.length = 0;
    return;
  }
  await rmdir(nameIn(parent, level.name)).then(
    () => {
      parent.isChanged = true;
    },
    (thrown: unknown) => {
      const code = reasonOf(thrown);
      if (code === "ENOENT") return;
      parent.skipped.add(level.name);
      // The obstacle is reported already, unless somebody added files meanwhile or it is no longer a folder.
      if (walk.left.length === 0 || (code !== "ENOTEMPTY" && code !== "EEXIST")) miss(walk, parent, level.name, code);
    },
  );
}

function mayGoOn(walk: Walk, level: Level, entries: number): boolean {
  if (walk.isCut) return false;
  walk.entries -= entries;
  if (walk.signal?.aborted === true) return cut(walk, level, "stopped");
  return walk.entries > 0 && walk.failures < FAILURES_MAX ? true : cut(walk, level, "too_many");
}

function cut(walk: Walk, level: Level, reason: string): false {
  walk.isCut = true;
  walk.left.unshift({ path: shorten(level.shown), reason });
  return false;
}

function miss(walk: Walk, level: Level, name: string, reason: string): void {
  level.skipped.add(name);
  walk.failures += 1;
  note(walk, `${level.shown}/${Buffer.from(name, "latin1").toString()}`, reason);
}

function note(walk: Walk, path: string, reason: string): void {
  if (walk.left.length < LEFT_MAX) walk.left.push({ path: shorten(path), reason });
}

/** Keeps the end of a long path, which tells most. */
function shorten(path: string): string {
  return path.length <= PATH_CHARS_MAX
    ? path
    : `${path.slice(0, PATH_CHARS_MAX / 2)}…${path.slice(-PATH_CHARS_MAX / 2)}`;
}

function reasonOf(thrown: unknown): string {
  return errno(thrown) ?? String(thrown);
}

function orGone(thrown: unknown): null {
  if (errno(thrown) === "ENOENT") return null;
  throw thrown;
}
