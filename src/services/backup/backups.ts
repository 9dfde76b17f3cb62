import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { By, Committer } from "../../commit/index.ts";
import { NomosError, type Progress } from "../../contract/index.ts";
import { recordBackup, SYSTEM_EVENTS, System } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { type DataOf, dataIn } from "../../kernel/index.ts";
import { type LogKey, type LogTree, makeBackup, type RecordedEvent, type Store } from "../../store/index.ts";

/** Copies of the whole home, made while it runs. */
export interface BackupService {
  /** Throws `overloaded` while another one runs. A backup that fails leaves no files. */
  readonly make: (path: string, progress: (progress: Progress) => void, by: By) => Promise<readonly RecordedEvent[]>;
  /** The newest that the log tells of. */
  readonly list: (limit: number) => Promise<readonly ListedBackup[]>;
}

export type ListedBackup = DataOf<(typeof SYSTEM_EVENTS)["log.backed_up@1"]> & {
  readonly madeAt: string;
  readonly isThere: boolean;
};

/** The store looks through a bounded number of events for each page. */
const PAGES_MAX = 100;

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
    list: async (limit) => {
      const found: ListedBackup[] = [];
      let before: number | null = null;
      for (let page = 0; page < PAGES_MAX && found.length < limit; page += 1) {
        const query = { limit: limit - found.length, descending: true, types: ["log.backed_up"] };
        const { events, next } = await store.readAll({ ...query, ...(before === null ? {} : { before }) });
        found.push(...(await Promise.all(events.map(listed))).flat());
        if (next === null) break;
        before = next;
      }
      return found;
    },
  };
}

async function listed(event: RecordedEvent): Promise<readonly ListedBackup[]> {
  const made = dataIn(SYSTEM_EVENTS, [event], "log.backed_up@1");
  if (made === null) return [];
  const isThere = (await stat(made.path).catch(() => null)) !== null;
  return [{ ...made, madeAt: event.at, isThere }];
}
