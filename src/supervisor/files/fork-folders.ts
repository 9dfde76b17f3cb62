import { existsSync, readdirSync } from "node:fs";
import { lstat, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, holdersOf, isInside } from "../../host/index.ts";
import { idIn, SESSIONS, Session, sessionFact, sessionStream } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { sessionRows } from "../life/neighbours.ts";
import { liveSnapshots } from "./live-snapshots.ts";
import { FORKS, type SessionFiles } from "./session-files.ts";

/** Directories of forks. Each is removed when its session is forgotten or archived, unless data would be lost. */
export interface ForkFolders {
  /**
   * Checks every directory whose session is gone or unknown. Must run before snapshots are swept, because it compares each
   * directory with the snapshot that the fork started from.
   */
  readonly sweep: () => Promise<void>;
  /** Directories that were kept although their session is gone, with the reason. */
  readonly kept: () => readonly KeptFork[];
  /** Checks the directories that an earlier daemon left, then follows the log. */
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

export interface KeptFork {
  readonly path: string;
  /** `work`: it may hold the only copy of a file. `in_use`: a session or a process works in it. */
  readonly reason: "work" | "in_use";
}

export interface ForkFoldersDeps {
  readonly home: string;
  readonly store: Store;
  readonly sessionFiles: Pick<SessionFiles, "keep" | "changes">;
  readonly clock: Pick<Clock, "after">;
  /** Moves a folder that an agent filled to the trash. Never throws. */
  readonly discard: (path: string) => Promise<void>;
  readonly log: (message: string, details: object) => void;
}

/** Gives processes in the directory time to end. */
const LATER_MS = 5000;
const REMOVING = ".removing-";

export function createForkFolders({ home, store, sessionFiles, clock, discard, log }: ForkFoldersDeps): ForkFolders {
  const folder = join(home, FORKS);
  /** Listed once at the start: a directory created later may belong to a fork that is not in the log yet. */
  const found = new Set(existsSync(folder) ? readdirSync(folder).map(idOf) : []);
  const kept = new Map<string, KeptFork>();
  let queue: Promise<void> = Promise.resolve();
  let isStopping = false;
  /** Stop functions of the log follower and of the pending timers. */
  const timers = new Set<() => void>();

  const isGone = async (id: string): Promise<boolean> => {
    const row = await store.row(SESSIONS, id);
    return row === null ? found.has(id) : row.forgotten || row.archived !== null;
  };
  /** Other sessions may have been started in this directory or below it, and may be resumed. */
  const isWorkedIn = async (path: string): Promise<boolean> => {
    for await (const row of sessionRows(store))
      if (!row.forgotten && row.archived === null && isInside(path, row.cwd)) return true;
    return false;
  };
  /** The snapshot that the fork started from; null when it is unknown. */
  const beginningOf = async (id: string): Promise<string | null> => {
    const [first] = (await store.readStream(sessionStream(id), { limit: 1 })).events;
    const forked = first === undefined ? null : sessionFact(first);
    return forked?.type === "session.forked@1" ? (forked.data.view.world?.snapshot ?? null) : null;
  };
  /** Whether the files equal a live snapshot or the one that the fork started from, so that nothing is lost with them. */
  const isSpare = async (id: string, path: string): Promise<boolean> => {
    const taken = await sessionFiles.keep(path);
    const { files, directories, leftOutCount, special } = taken;
    if (files + directories + leftOutCount + special.length === 0) return true;
    if ((await liveSnapshots(store)).includes(taken.id)) return true;
    const began = await beginningOf(id);
    if (began === null || taken.unsettled.length > 0) return false;
    const { changes, unseen } = await sessionFiles.changes(began, taken.id, 1);
    return changes.length === 0 && unseen.length === 0;
  };

  const whyKept = async (id: string, path: string, names: readonly string[]): Promise<KeptFork["reason"] | null> => {
    if ((await isWorkedIn(join(folder, id))) || (await holdersOf(names)).length > 0) return "in_use";
    return (await isSpare(id, path).catch((thrown: unknown) => unclear(path, thrown))) ? null : "work";
  };

  /** Checks twice. After the rename nobody can open the directory by its old path, so the second check is final. */
  const settle = async (id: string): Promise<void> => {
    const [path, aside] = [join(folder, id), join(folder, `${REMOVING}${id}`)];
    kept.delete(id);
    if (isStopping || (await lstat(path).catch(() => null)) === null) return;
    const first = await whyKept(id, path, [path]);
    if (first !== null) return void kept.set(id, { path, reason: first });
    await rename(path, aside);
    const second = await whyKept(id, aside, [path, aside]);
    if (second === null) return discard(aside);
    await rename(aside, path);
    kept.set(id, { path, reason: second });
  };
  const unclear = (path: string, thrown: unknown): false => {
    log("the directory of a fork stays: nobody can tell what is in it", { path, reason: String(thrown) });
    return false;
  };
  const settleSafely = (id: string): Promise<void> =>
    settle(id).catch((thrown: unknown) => log("the directory of a fork stays", { id, reason: String(thrown) }));

  const sweepNow = async (): Promise<void> => {
    for (const name of await readdir(folder).catch(() => [])) {
      if (isStopping) return;
      const id = idOf(name);
      if (id !== name) await putBack(join(folder, name), join(folder, id));
      if (await isGone(id)) await settleSafely(id);
    }
  };
  /** Renames back a directory that a killed daemon had renamed for its check. */
  const putBack = async (aside: string, path: string): Promise<void> => {
    if ((await lstat(path).catch(() => null)) === null) await rename(aside, path).catch(() => undefined);
  };
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    queue = queue.then(work);
    return queue;
  };

  return {
    sweep: () => inTurn(sweepNow),
    kept: () => [...kept.values()],
    start: () => {
      timers.add(
        store.onAppend((events) => {
          for (const { stream, type } of events) {
            const id = type === "session.forgotten@1" ? idIn(Session, stream) : null;
            if (id !== null) timers.add(clock.after(LATER_MS, () => void inTurn(() => settleSafely(id))));
          }
        }),
      );
      void inTurn(sweepNow);
    },
    stop: async () => {
      isStopping = true;
      for (const cancel of timers) cancel();
      await queue;
    },
  };
}

function idOf(name: string): string {
  return name.startsWith(REMOVING) ? name.slice(REMOVING.length) : name;
}
