import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { errno } from "../errno.ts";
import type { Clock } from "../machine/clock.ts";
import { type Left, removeTree } from "./remove-tree.ts";
import { openUpFolder } from "./tree-level.ts";

/**
 * Deletes what agents may have filled. It is moved away at once and removed in the background: nobody waits for it or
 * fails with it. What cannot be removed is retried, and reported on request.
 */
export interface Trash {
  /** Resolves when the name is free. Never throws: what cannot be moved is removed in place. */
  readonly discard: (path: string) => Promise<void>;
  /** The same for the contents of a folder. The folder itself may stay, empty, if it cannot be moved. */
  readonly discardWithin: (folder: string) => Promise<void>;
  /** What was tried and is still there. */
  readonly left: () => Promise<readonly Left[]>;
  /** Resolves when everything discarded so far was tried once. */
  readonly settled: () => Promise<void>;
  /** Stops; the next daemon continues. */
  readonly stop: () => Promise<void>;
}

export interface TrashOptions {
  /** Must be on the same file system as what is discarded, because it is moved there by rename. */
  readonly folder: string;
  readonly clock: Pick<Clock, "after">;
  readonly log: (message: string, details: object) => void;
}

/** The retry interval while something is left. */
const AGAIN_AFTER_MS = 600_000;
/** A removal may hang on an unresponsive file system, so a stopping daemon does not wait for it longer. */
const STOP_MAX_MS = 1000;
const NAME_BYTES = 6;

/** Starts with what an earlier daemon left in the folder. */
export function openTrash({ folder, clock, log }: TrashOptions): Trash {
  const stopping = new AbortController();
  const kept = new Map<string, readonly Left[]>();
  let queue: Promise<void> = Promise.resolve();
  let cancel: (() => void) | null = null;

  const remove = async (path: string): Promise<void> => {
    if (stopping.signal.aborted) return;
    const left = await removeTree(path, { signal: stopping.signal });
    const before = kept.get(path);
    if (left.length === 0) kept.delete(path);
    else kept.set(path, left);
    if (left.length === 0 || stopping.signal.aborted) return;
    if (before === undefined) log("a path in the trash could not be removed; trying again", { path, left });
    cancel ??= clock.after(AGAIN_AFTER_MS, again);
  };
  const enqueue = (path: string): void => {
    queue = queue.then(() => remove(path));
  };
  const again = (): void => {
    cancel = null;
    queue = queue.then(async () => {
      for (const path of new Set([...(await found()), ...kept.keys()])) await remove(path);
    });
  };
  const found = async (): Promise<readonly string[]> =>
    (await readdir(folder).catch(() => [])).map((name) => join(folder, name));

  const moveAway = async (path: string): Promise<"moved" | "gone" | "stays"> => {
    const name = basename(path).slice(0, NAME_CHARS_MAX);
    const aside = join(folder, `${name}-${randomBytes(NAME_BYTES).toString("hex")}`);
    const outcome = await move(path, aside, folder);
    if (outcome === "moved") enqueue(aside);
    return outcome;
  };
  const discard = async (path: string): Promise<void> => {
    if ((await moveAway(path)) === "stays") enqueue(path);
  };

  again();
  return {
    discard,
    discardWithin: async (path) => {
      // Removes the entries, not the folder: others may add new ones by then.
      if ((await moveAway(path)) === "stays")
        for (const name of await readdir(path).catch(() => [])) await discard(join(path, name));
    },
    left: async () => {
      const there: Left[] = [];
      for (const [path, left] of kept) if ((await lstat(path).catch(() => null)) !== null) there.push(...left);
      return there;
    },
    settled: () => queue,
    stop: async () => {
      stopping.abort();
      cancel?.();
      const late = Promise.withResolvers<void>();
      const forget = clock.after(STOP_MAX_MS, late.resolve);
      await Promise.race([queue, late.promise]);
      forget();
    },
  };
}

const NAME_CHARS_MAX = 80;

async function move(path: string, aside: string, folder: string): Promise<"moved" | "gone" | "stays"> {
  const attempt = async (): Promise<"moved" | "gone" | "stays"> => {
    await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
    await rename(path, aside);
    return "moved";
  };
  const orElse = (thrown: unknown) => (errno(thrown) === "ENOENT" ? isGone(path) : "stays");
  const first = await attempt().catch(orElse);
  if (first !== "stays") return first;
  // Moving a folder to another parent needs write permission on the folder itself.
  await openUpFolder(path);
  return attempt().catch(orElse);
}

/** ENOENT may also mean that the trash folder is missing. */
async function isGone(path: string): Promise<"gone" | "stays"> {
  const found = await lstat(path).catch((thrown: unknown) => (errno(thrown) === "ENOENT" ? null : "stays"));
  return found === null ? "gone" : "stays";
}
