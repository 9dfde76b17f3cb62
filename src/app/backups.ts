import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { NomosError } from "../contract/index.ts";
import type { Clock } from "../host/index.ts";
import { fact, SYSTEM_STREAM } from "../kernel/index.ts";
import { type LogKey, type LogTree, makeBackup, type Store } from "../store/index.ts";
import type { Committer } from "../supervisor/index.ts";
import type { BackupService } from "../syscalls/index.ts";

const FOLDER_MODE = 0o700;
/** What a backup is called until it is complete. */
const UNFINISHED = /\.[0-9a-f]{12}\.tmp$/;

/** One at a time: each reads all there is, and two would only be slower. */
export function createBackups(deps: {
  readonly home: string;
  readonly version: string;
  readonly store: Store;
  readonly tree: LogTree;
  readonly key: LogKey;
  readonly clock: Clock;
  readonly committer: Committer;
}): BackupService {
  const { home, version, store, tree, key, clock, committer } = deps;
  const own = join(home, "backups");
  let isUnderWay = false;

  /** Those of a daemon that was killed in the middle. Only here: elsewhere somebody else's may be under way. */
  const removeUnfinished = async (): Promise<void> => {
    const names = await readdir(own).catch(() => []);
    for (const name of names.filter((found) => UNFINISHED.test(found)))
      await rm(join(own, name), { recursive: true, force: true });
  };

  return {
    make: async (path, progress, by) => {
      if (isUnderWay) throw new NomosError("overloaded", { reason: "another backup is under way" });
      isUnderWay = true;
      try {
        await mkdir(own, { recursive: true, mode: FOLDER_MODE });
        await removeUnfinished();
        const madeAt = clock.iso(clock.nowMs());
        const made = await makeBackup({
          ...{ home, path, store, tree, version, madeAt },
          sign: key.sign,
          progress: (done, total) => progress({ message: "copying the log", done, total }),
        });
        return (await committer.change(SYSTEM_STREAM, () => [fact("log.backed_up@1", made)], by)).events;
      } finally {
        isUnderWay = false;
      }
    },
  };
}
