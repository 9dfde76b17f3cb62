import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { By, Committer } from "../../commit/index.ts";
import { NomosError, type Progress } from "../../contract/index.ts";
import { recordBackup, System } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { type LogKey, type LogTree, makeBackup, type RecordedEvent, type Store } from "../../store/index.ts";

/** Copies of the whole home, made while it runs. */
export interface BackupService {
  /** Throws `overloaded` while another one runs. A backup that fails leaves no files. */
  readonly make: (path: string, progress: (progress: Progress) => void, by: By) => Promise<readonly RecordedEvent[]>;
}

const FOLDER_MODE = 0o700;

/** One at a time: each reads the whole log, and two would only be slower. */
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

  return {
    make: async (path, progress, by) => {
      if (isUnderWay) throw new NomosError("overloaded", { reason: "another backup is running" });
      isUnderWay = true;
      try {
        await mkdir(own, { recursive: true, mode: FOLDER_MODE });
        const madeAt = clock.iso(clock.nowMs());
        const made = await makeBackup({
          ...{ home, path, store, tree, version, madeAt },
          sign: key.sign,
          progress: (done, total) => progress({ message: "copying the log", done, total }),
        });
        return (await committer.change(System, "", (state) => recordBackup(state, made), by)).events;
      } finally {
        isUnderWay = false;
      }
    },
  };
}
