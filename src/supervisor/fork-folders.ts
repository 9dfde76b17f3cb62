import { existsSync, readdirSync } from "node:fs";
import { lstat, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, holdersOf, isInside } from "../host/index.ts";
import { idIn, SESSIONS, Session, sessionFact, sessionStream } from "../kernel/index.ts";
import type { Store } from "../store/index.ts";
import { liveSnapshots } from "./live-snapshots.ts";
import { sessionRows } from "./neighbours.ts";
import { FORKS, type Worlds } from "./worlds.ts";

/** Directories of forks, which go when their sessions are forgotten or archived, unless something would be lost. */
export interface ForkFolders {
  /**
   * Judges every directory whose session is gone; also those of no session that is known. To be done before snapshots are
   * swept: what a fork began with can be told only as long as its snapshot is there.
   */
  readonly sweep: () => Promise<void>;
  /** What stays of sessions that are gone, and why. */
  readonly kept: () => readonly KeptFork[];
  /** Begins with what an earlier daemon left, and follows the log. */
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

export interface KeptFork {
  readonly path: string;
  /** `work`: it may hold the only copy of something. `in_use`: a session or a process is in it. */
  readonly reason: "work" | "in_use";
}

export interface ForkFoldersDeps {
  readonly home: string;
  readonly store: Store;
  readonly worlds: Pick<Worlds, "keep" | "changes">;
  readonly clock: Pick<Clock, "after">;
  /** Takes a folder that an agent filled out of the way, and never fails. */
  readonly discard: (path: string) => Promise<void>;
  readonly log: (message: string, details: object) => void;
}

/** What ran in it may be on its way out. */
const LATER_MS = 5000;
const REMOVING = ".removing-";

export function createForkFolders({ home, store, worlds, clock, discard, log }: ForkFoldersDeps): ForkFolders {
  const folder = join(home, FORKS);
  /** A directory that comes later may be of a fork that is about to be in the log. */
  const found = new Set(existsSync(folder) ? readdirSync(folder).map(idOf) : []);
  const kept = new Map<string, KeptFork>();
  let queue: Promise<void> = Promise.resolve();
  let isStopping = false;
  /** Ends what was begun: the following, and what waits for its time. */
  const timers = new Set<() => void>();

  const isGone = async (id: string): Promise<boolean> => {
    const row = await store.row(SESSIONS, id);
    return row === null ? found.has(id) : row.forgotten || row.archived !== null;
  };
  /** Others may have been started in it, with its directory or one below, and may be gone on with. */
  const isWorkedIn = async (path: string): Promise<boolean> => {
    for await (const row of sessionRows(store))
      if (!row.forgotten && row.archived === null && isInside(path, row.cwd)) return true;
    return false;
  };
  /** The files that the fork began with; null: nobody knows. */
  const beginningOf = async (id: string): Promise<string | null> => {
    const [first] = (await store.readStream(sessionStream(id), { limit: 1 })).events;
    const forked = first === undefined ? null : sessionFact(first);
    return forked?.type === "session.forked@1" ? (forked.data.view.world?.snapshot ?? null) : null;
  };
  /** Whether the directory holds nothing but what the fork began with, or what a snapshot holds that is kept. */
  const isSpare = async (id: string, path: string): Promise<boolean> => {
    const taken = await worlds.keep(path);
    const { files, directories, leftOutCount, special } = taken;
    if (files + directories + leftOutCount + special.length === 0) return true;
    if ((await liveSnapshots(store)).includes(taken.id)) return true;
    const began = await beginningOf(id);
    if (began === null || taken.unsettled.length > 0) return false;
    const { changes, unseen } = await worlds.changes(began, taken.id, 1);
    return changes.length === 0 && unseen.length === 0;
  };

  const whyKept = async (id: string, path: string, names: readonly string[]): Promise<KeptFork["reason"] | null> => {
    if ((await isWorkedIn(join(folder, id))) || (await holdersOf(names)).length > 0) return "in_use";
    return (await isSpare(id, path).catch((thrown: unknown) => unclear(path, thrown))) ? null : "work";
  };

  /** Looks twice. Under a name that nobody knows nobody can come in any more: what is found then is all there is. */
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
  /** A daemon that was killed while it looked left it aside. */
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
