import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { errno } from "../errno.ts";
import type { Clock } from "../machine/clock.ts";
import { type Left, removeTree } from "./remove-tree.ts";
import { openUpFolder } from "./tree-level.ts";

/**
 * What is to be deleted and was filled by agents. It is moved out of the way at once and removed behind everybody's back:
 * nothing waits for that, nothing fails with it, and what cannot be removed is tried again and told to whoever asks.
 */
export interface Trash {
  /** Resolves when the name is free. Never throws: what cannot be moved is removed where it is. */
  readonly discard: (path: string) => Promise<void>;
  /** The same for what is in a folder; the folder itself may stay, empty, where it cannot be moved. */
  readonly discardWithin: (folder: string) => Promise<void>;
  /** What was tried and is still there. */
  readonly left: () => Promise<readonly Left[]>;
  /** Resolves when all that was discarded so far was tried once. */
  readonly settled: () => Promise<void>;
  /** Breaks off; the next daemon goes on. */
  readonly stop: () => Promise<void>;
}

export interface TrashOptions {
  /** In the same file system as what is discarded, or nothing can be moved there. */
  readonly folder: string;
  readonly clock: Pick<Clock, "after">;
  readonly log: (message: string, details: object) => void;
}

/** As long as something is left. */
const AGAIN_AFTER_MS = 600_000;
/** A removal may hang in a file system that does not answer; a daemon that stops does not wait for it. */
const STOP_MAX_MS = 1000;
const NAME_BYTES = 6;

/** Begins with what an earlier daemon left in the folder. */
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
      // Not removed where it is: by then others may have put something in.
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
  // A folder takes its own permission to be moved to another one.
  await openUpFolder(path);
  return attempt().catch(orElse);
}

/** The folder that it would go to may be what is missing. */
async function isGone(path: string): Promise<"gone" | "stays"> {
  const found = await lstat(path).catch((thrown: unknown) => (errno(thrown) === "ENOENT" ? null : "stays"));
  return found === null ? "gone" : "stays";
}
