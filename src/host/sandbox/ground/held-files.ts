import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { errno } from "../../errno.ts";
import { HostError } from "../../host-error.ts";
import type { Clock } from "../../machine/clock.ts";
import { identityAt } from "../own-place.ts";
import { type Found, fewestPaths, type Held } from "./fewest-paths.ts";

export interface Ground {
  /** Directories that are to be writable, by their real paths. */
  readonly roots: readonly string[];
  /** Paths in them that are mounts of their own: whatever is writable there is a root too. */
  readonly apart: ReadonlySet<string>;
}

export interface HeldFiles {
  /** Throws a `HostError` where all of a root would have to be held. */
  readonly list: (ground: Ground) => readonly Held[];
}

export interface HeldFilesLimits {
  /** Names that are looked at; folders beyond are held unseen. */
  readonly entriesMax: number;
  /** Held paths and the directories on the way to them: each is a mount. */
  readonly mountsMax: number;
}

const LIMITS: HeldFilesLimits = { entriesMax: 300_000, mountsMax: 128 };
/** A look is good for this many times as long as it took: a large directory does not keep the daemon busy. */
const GOOD_FOR_TIMES = 20;
const GOOD_FOR_MIN_MS = 1_000;
const KEPT_MAX = 64;

/**
 * Finds what a session must not write although it lies in its directory:
 * - files with a name outside, as a pnpm store has them: writing here would be writing there;
 * - set-id programs, which writing by memory does not make harmless;
 * - folders that we cannot look into, or that are too many to look into.
 */
export function createHeldFiles(clock: Clock, limits: HeldFilesLimits = LIMITS): HeldFiles {
  const kept = new Map<string, { readonly untilMs: number; readonly held: readonly Held[] }>();
  return {
    list: (ground) => {
      const key = JSON.stringify([ground.roots, [...ground.apart]]);
      const [before, startMs] = [kept.get(key), clock.steadyMs()];
      // A clock that was set back makes an old look no newer.
      const isFresh = before !== undefined && before.untilMs > startMs && before.untilMs - startMs <= KEPT_FOR_MAX_MS;
      if (isFresh && before.held.every(isStillThere)) return before.held;
      const held = heldIn(ground, limits);
      const endMs = clock.steadyMs();
      const goodForMs = Math.min(KEPT_FOR_MAX_MS, Math.max(GOOD_FOR_MIN_MS, (endMs - startMs) * GOOD_FOR_TIMES));
      kept.delete(key);
      kept.set(key, { untilMs: endMs + goodForMs, held });
      for (const [oldest] of kept) if (kept.size > KEPT_MAX) kept.delete(oldest);
      return held;
    },
  };
}

const KEPT_FOR_MAX_MS = 60_000;

function isStillThere({ path, is }: Held): boolean {
  const now = identityAt(path);
  return now !== null && now.dev === is.dev && now.ino === is.ino;
}

function heldIn(ground: Ground, limits: HeldFilesLimits): Held[] {
  const looked = lookInto(ground, limits.entriesMax);
  let mountsLeft = limits.mountsMax;
  return ground.roots.flatMap((root): Held[] => {
    const mine = looked.get(root) ?? [];
    if (mine.length === 0) return [];
    const fewest = fewestPaths(root, mine, mountsLeft);
    if (fewest === null) throw allHeld(root);
    mountsLeft -= fewest.mounts;
    return [...fewest.held];
  });
}

const SET_ID = 0o6000;
const LAST_LOOKED_INTO = ["node_modules", ".venv"];

interface File extends Found {
  readonly root: string;
  readonly links: number;
  readonly isSetId: boolean;
}

/**
 * By root. Paths are kept as bytes in a string (latin1): names need not be text. A name in a part that is not writable
 * does not count as one of ours: what it names is not to be written either.
 */
function lookInto({ roots, apart }: Ground, entriesMax: number): Map<string, Found[]> {
  const several: File[] = [];
  const names = new Map<string, number>();
  const held = new Map<string, Found[]>(roots.map((root) => [root, []]));
  const apartBytes = new Set([...apart].map(toBytes));
  // What was installed comes last: if something is too much to look at, then that.
  const pending = { first: roots.map((root) => ({ root, path: toBytes(root) })), last: [] as Folder[] };
  let looked = 0;
  for (let folder = pending.first.pop(); folder !== undefined; folder = pending.first.pop() ?? pending.last.pop()) {
    const { root, path } = folder;
    const entries = looked > entriesMax ? null : orUnseen<Dirent[]>(() => namesIn(path), []);
    const unseen = () => held.get(root)?.push({ path, is: null });
    if (entries === null) unseen();
    for (const entry of entries ?? []) {
      looked += 1;
      const inner = `${path}/${entry.name}`;
      if (entry.isSymbolicLink() || apartBytes.has(inner)) continue;
      if (entry.isDirectory())
        (LAST_LOOKED_INTO.includes(entry.name) ? pending.last : pending.first).push({ root, path: inner });
      else if (orUnseen(() => noteFile(root, inner, several, names), true) === null) unseen();
    }
  }
  for (const file of several)
    if (file.isSetId || file.links > (names.get(keyOf(file)) ?? 0)) held.get(file.root)?.push(file);
  return held;
}

interface Folder {
  readonly root: string;
  readonly path: string;
}

function noteFile(root: string, path: string, several: File[], names: Map<string, number>): true {
  const found = lstatSync(Buffer.from(path, "latin1"), { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) return true;
  if (!mustBeHeld(found)) return true;
  const isSetId = (found.mode & SET_ID) !== 0;
  const file = { root, path, is: { dev: found.dev, ino: found.ino }, links: found.nlink, isSetId };
  several.push(file);
  names.set(keyOf(file), (names.get(keyOf(file)) ?? 0) + 1);
  return true;
}

/** As long as nobody knows where its other names are. */
export function mustBeHeld({ nlink, mode }: Stats): boolean {
  return nlink > 1 || (mode & SET_ID) !== 0;
}

function keyOf({ is }: Found): string {
  return `${is?.dev}:${is?.ino}`;
}

function namesIn(path: string): Dirent[] {
  return readdirSync(Buffer.from(path, "latin1"), { withFileTypes: true, encoding: "latin1" });
}

/** Null: it cannot be looked at, so nobody knows what it is. `gone` for what is not there any more. */
function orUnseen<T>(look: () => T, gone: T): T | null {
  try {
    return look();
  } catch (thrown) {
    const code = errno(thrown) ?? "";
    if (code === "ENOENT" || code === "ENOTDIR") return gone;
    if (UNSEEN.includes(code)) return null;
    throw thrown;
  }
}

const UNSEEN = ["EACCES", "EPERM", "ENAMETOOLONG", "ELOOP", "EIO"];

function toBytes(path: string): string {
  return Buffer.from(path, "utf8").toString("latin1");
}

function allHeld(root: string): HostError {
  const remedy = "start the session with `worktree: true`, or install the linked packages as copies";
  return new HostError(
    "sandbox_unavailable",
    `strict cannot hold ${root}: too much in it has names outside, or cannot be looked at`,
    { remedy, details: { path: root, remedy } },
  );
}
