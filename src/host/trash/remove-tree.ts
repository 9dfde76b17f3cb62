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
  /** The operating system's name for it (`EACCES`), or one of ours: `mount`, `moved`, `stopped`, `too_many`. */
  readonly reason: string;
}

export interface RemoveOptions {
  /** Looked at between entries; what is there then is left with the reason `stopped`. */
  readonly signal?: AbortSignal | undefined;
  /** How many names are removed in one go; what is beyond it is left with the reason `too_many`. */
  readonly entriesMax?: number;
}

const ENTRIES_MAX = 20_000_000;
/** That are named; the walk goes on behind them. */
const LEFT_MAX = 20;
/** Of names that cannot be removed: so many of them say that nothing here can be. */
const FAILURES_MAX = 10_000;
/** Somebody may still write into it, and deleting while a folder is read may hide what comes behind. */
const PASSES_MAX = 4;
/** Folders above the one at hand that stay open; those further up are found again through `..`. */
const OPEN_MAX = 24;
const UNLINKS_AT_ONCE = 32;
const PATH_CHARS_MAX = 400;
const HAS_PROC = process.platform === "linux";

/**
 * Removes a file or a whole tree that an agent may have filled, and answers what is left of it: nothing, in most cases. It
 * never throws for what it meets. Each folder is opened below the one above it, never through a link and never across a
 * mount, so no tree is too deep; a folder that its owner closed is opened up through its handle first.
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

/** Depth first without recursion: a tree may be deeper than any stack. */
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

/** Removes what can be removed without going further down; answers the next folder to go into, or null when there is none. */
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

/** Answers the name when it is a folder after all, on a file system that does not tell. */
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

/** Up again, through `..` where the folder above was closed meanwhile: only if that is still the same one. */
async function leave(walk: Walk, level: Level, above: Level[]): Promise<void> {
  const parent = above.at(-1);
  if (parent === undefined) return;
  const isThere = await levelAbove(level, parent);
  await closeLevel(level);
  if (!isThere) {
    // Somebody moved it: what lies above it now is not ours to touch.
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
      // What keeps it is named already, unless somebody filled it meanwhile or it is no folder any more.
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

/** The end says what it is; a path may be longer than a screen. */
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
