import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { errno } from "../../errno.ts";
import { HostError } from "../../host-error.ts";
import type { Clock } from "../../machine/clock.ts";
import { identityAt } from "../own-place.ts";
import { type Found, fewestPaths, type Held } from "./fewest-paths.ts";

export interface Ground {
  /** Directories that will be writable, by real path. */
  readonly roots: readonly string[];
  /** Paths inside the roots with mounts of their own. Writable ones are roots too. */
  readonly apart: ReadonlySet<string>;
}

export interface HeldFiles {
  /** Throws a `HostError` if a whole root would have to be read-only. */
  readonly list: (ground: Ground) => readonly Held[];
}

export interface HeldFilesLimits {
  /** How many names are examined. Folders beyond that become read-only unseen. */
  readonly entriesMax: number;
  /** Read-only paths and their parent directories: each is a mount. */
  readonly mountsMax: number;
}

const LIMITS: HeldFilesLimits = { entriesMax: 300_000, mountsMax: 128 };
/**
 * A result stays valid for this many times as long as the search took, so that a large directory does not keep the
 * daemon busy.
 */
const GOOD_FOR_TIMES = 20;
const GOOD_FOR_MIN_MS = 1_000;
const KEPT_MAX = 64;

/**
 * Finds paths in a session's directory that it must not write:
 * - files with another hard link outside, as in a pnpm store: a write here would change the file there;
 * - set-id programs, because writes through memory maps keep the set-id bit;
 * - folders that cannot be read, or are too many to search.
 */
export function createHeldFiles(clock: Clock, limits: HeldFilesLimits = LIMITS): HeldFiles {
  const kept = new Map<string, { readonly untilMs: number; readonly held: readonly Held[] }>();
  return {
    list: (ground) => {
      const key = JSON.stringify([ground.roots, [...ground.apart]]);
      const [before, startMs] = [kept.get(key), clock.steadyMs()];
      // If the clock was set back, an old result does not become fresh again.
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
 * Results by root. Paths are bytes as strings (latin1), because names need not be valid text. Hard links in a read-only
 * part do not count as inside: that file must not be written either.
 */
function lookInto({ roots, apart }: Ground, entriesMax: number): Map<string, Found[]> {
  const several: File[] = [];
  const names = new Map<string, number>();
  const held = new Map<string, Found[]>(roots.map((root) => [root, []]));
  const apartBytes = new Set([...apart].map(toBytes));
  // Folders of installed packages come last, so that they are the ones left unsearched when the limit is reached.
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

/** True until all hard links of the file are known to be inside. */
export function mustBeHeld({ nlink, mode }: Stats): boolean {
  return nlink > 1 || (mode & SET_ID) !== 0;
}

function keyOf({ is }: Found): string {
  return `${is?.dev}:${is?.ino}`;
}

function namesIn(path: string): Dirent[] {
  return readdirSync(Buffer.from(path, "latin1"), { withFileTypes: true, encoding: "latin1" });
}

/** Null: it cannot be examined, so its kind is unknown. Returns `gone` for something that no longer exists. */
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
