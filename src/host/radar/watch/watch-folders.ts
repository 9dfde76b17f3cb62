import { type FSWatcher, lstatSync, type Stats, watch } from "node:fs";
import { join } from "node:path";
import { errno } from "../../errno.ts";
import { canHoldFolders } from "../../files/held-folder.ts";
import { isSkipped, walkFolders } from "./folder-walk.ts";

/** Names of files that changed in a tree, as the system tells them. Folders are watched one by one, never through a link. */
export interface FolderWatch {
  /** False: some folders are not watched, so changes can be missed. */
  readonly isComplete: () => boolean;
  /** What changed since the last call; `isCut`: more than was kept. */
  readonly take: () => Promise<{ readonly paths: readonly string[]; readonly isCut: boolean }>;
  readonly close: () => void;
}

export interface WatchOptions {
  /** A real path. */
  readonly tree: string;
  /** Folders of the base; any other may be ignored. */
  readonly tracked: ReadonlySet<string>;
  /** Which of these folders, with a slash at the end, the person's rules ignore. */
  readonly ignored: (folders: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Folders that may still be watched, over all trees. */
  readonly budget: { folders: number };
  readonly onChange: () => void;
}

const PENDING_MAX = 20_000;
/** A tree that changes more often between two looks is looked through now and then instead. */
const EVENTS_MAX = 100_000;
/** The system watches no more folders for this user. */
const NO_MORE: readonly string[] = ["ENOSPC", "EMFILE", "ENFILE", "ENOMEM"];

export async function createFolderWatch(options: WatchOptions): Promise<FolderWatch> {
  const { tree, tracked, ignored, budget, onChange } = options;
  const watched = new Map<string, { readonly watcher: FSWatcher; readonly ino: number }>();
  let pending = new Set<string>();
  let events = 0;
  let isCut = false;
  let isComplete = canHoldFolders();
  let isClosed = false;

  const drop = (path: string): void => {
    watched.get(path)?.watcher.close();
    if (watched.delete(path)) budget.folders += 1;
  };
  const giveUp = (): void => {
    [isComplete, isCut] = [false, true];
    for (const path of [...watched.keys()]) drop(path);
    onChange();
  };
  const note = (folder: string, name: string | null): void => {
    events += 1;
    if (name === null || name === ".git" || name.includes("\ufffd")) return;
    if (events > EVENTS_MAX) giveUp();
    else if (pending.size < PENDING_MAX) pending.add(folder === "" ? name : `${folder}/${name}`);
    else isCut = true;
    onChange();
  };
  const walk = {
    root: tree,
    enters: tracked,
    onFile: note,
    onFolder: ({ path, own, ino }: { readonly path: string; readonly own: string; readonly ino: number }): boolean => {
      if (budget.folders <= 0) return false;
      const watcher = watch(own, { persistent: false }, (_kind, name) => note(path, name));
      watcher.on("error", () => drop(path));
      watched.set(path, { watcher, ino });
      budget.folders -= 1;
      return true;
    },
  };

  /** Watches these folders and all in them but what is ignored. What comes with a new folder is told as changed. */
  const enterAll = async (first: readonly string[], isNew: boolean): Promise<void> => {
    for (let folders = first; folders.length > 0 && isComplete && !isClosed; ) {
      const unknown = folders.filter((path) => !tracked.has(path));
      const left = unknown.length === 0 ? unknown : [...(await ignored(unknown.map((path) => `${path}/`)))];
      const skipped = new Set(left);
      const next: string[] = [];
      for (const path of folders.filter((one) => !skipped.has(`${one}/`))) {
        const others = isClosed ? [] : walkFolders(walk, path, isNew || !tracked.has(path));
        if (others === null) isComplete = false;
        else next.push(...others);
      }
      folders = next;
    }
  };
  const orGiveUp = async (work: Promise<void>): Promise<void> =>
    work.catch((thrown: unknown) => {
      if (!NO_MORE.includes(errno(thrown) ?? "")) throw thrown;
      giveUp();
    });
  const dropBelow = (path: string): void => {
    for (const one of [...watched.keys()]) if (one === path || one.startsWith(`${path}/`)) drop(one);
  };

  if (isComplete) await orGiveUp(enterAll([""], false));
  return {
    isComplete: () => isComplete,
    take: async () => {
      const [names, cut] = [pending, isCut];
      [pending, isCut, events] = [new Set(), false, 0];
      const paths: string[] = [];
      const fresh: string[] = [];
      for (const path of names) {
        const found = kindOf(join(tree, path));
        const known = watched.get(path);
        if (known !== undefined && (found?.isDirectory() !== true || found.ino !== known.ino)) dropBelow(path);
        if (found?.isDirectory() !== true) paths.push(path);
        else if (!watched.has(path) && !isSkipped(path)) fresh.push(path);
      }
      if (fresh.length > 0) await orGiveUp(enterAll(fresh, true));
      return { paths, isCut: cut };
    },
    close: () => {
      isClosed = true;
      for (const path of [...watched.keys()]) drop(path);
    },
  };
}

function kindOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (thrown) {
    if (errno(thrown) !== undefined) return null;
    throw thrown;
  }
}
