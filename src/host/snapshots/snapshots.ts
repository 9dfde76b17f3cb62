import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { UNREACHABLE, unless } from "../errno.ts";
import type { DiffOptions, FileDiff } from "./diff/file-diffs.ts";
import type { Swept } from "./packs/sweep.ts";
import { SnapshotError } from "./snapshot-error.ts";
import type { Calls, Reply } from "./snapshot-messages.ts";
import type {
  ChangeList,
  ChangeTime,
  Restored,
  RestoreLimits,
  SnapshotsChecked,
  Taken,
  TreeSpec,
} from "./snapshot-store.ts";

/** Trees of files as they were, by id. Knows nothing of sessions. */
export interface Snapshots {
  /** Durable when it is answered. The same tree has the same id. */
  readonly take: (tree: TreeSpec) => Promise<Taken>;
  /** Throws where nothing can be restored. */
  readonly requireRestore: () => void;
  /** Makes the tree what it was, within limits. A directory goes only once nothing is to stay in it. */
  readonly restore: (tree: TreeSpec, to: string, limits?: RestoreLimits) => Promise<Restored>;
  /** Makes a new directory and fills it; there must be nothing under its name. */
  readonly grow: (tree: TreeSpec, to: string) => Promise<Restored>;
  readonly changes: (from: string | null, to: string, max: number) => Promise<ChangeList>;
  /** The files that differ, with mode and time of their last change as the last walk of the tree saw them. */
  readonly times: (tree: TreeSpec, from: string, to: string, max: number) => Promise<readonly ChangeTime[]>;
  readonly diff: (from: string | null, to: string, options: DiffOptions) => Promise<readonly FileDiff[]>;
  /** Takes out what none of these snapshots needs. */
  readonly sweep: (ids: readonly string[], dryRun: boolean) => Promise<Swept>;
  readonly check: (ids: readonly string[]) => Promise<SnapshotsChecked>;
  readonly status: () => Promise<Calls["status"]["answer"]>;
  /** What the store takes on disk, as last heard. */
  readonly bytes: () => number;
  readonly close: () => Promise<void>;
}

export interface SnapshotsOptions {
  /** Private; made when it is not there. */
  readonly folder: string;
  /** Null: trees can be kept but not restored. */
  readonly bwrapPath: string | null;
}

const CLOSE_MAX_MS = 1000;

/** The thread starts with the first call. */
export function openSnapshots({ folder, bwrapPath }: SnapshotsOptions): Snapshots {
  const waiting = new Map<number, PromiseWithResolvers<Calls[keyof Calls]["answer"]>>();
  let worker: Worker | null = null;
  let storeBytes = bytesIn(join(folder, "packs"));
  let isClosed = false;
  let n = 0;

  const failAll = (error: Error): void => {
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const started = new Worker(new URL("./snapshot-thread.ts", import.meta.url), { workerData: { folder } });
    started.on("message", (reply: Reply) => {
      const one = waiting.get(reply.n);
      waiting.delete(reply.n);
      if (reply.ok) one?.resolve(reply.answer);
      else one?.reject(reply.code === null ? new Error(reply.message) : new SnapshotError(reply.code, reply.details));
      if (waiting.size === 0) started.unref();
    });
    started.on("error", failAll);
    started.on("exit", () => failAll(new SnapshotError("snapshots_closed")));
    return started;
  };
  const call = async <K extends keyof Calls>(kind: K, ask: Calls[K]["ask"]): Promise<Calls[K]["answer"]> => {
    if (isClosed && kind !== "close") throw new SnapshotError("snapshots_closed");
    worker ??= start();
    n += 1;
    const answer = Promise.withResolvers<Calls[keyof Calls]["answer"]>();
    waiting.set(n, answer);
    worker.ref();
    worker.postMessage({ n, call: kind, ask });
    return answer.promise;
  };

  const wall = (): string => {
    if (bwrapPath === null) throw new SnapshotError("restore_unavailable");
    return bwrapPath;
  };

  return {
    take: async (tree) => {
      const taken = await call("take", { tree });
      storeBytes += taken.storedBytes;
      return taken;
    },
    bytes: () => storeBytes,
    requireRestore: () => void wall(),
    restore: async (tree, to, limits = {}) => call("restore", { tree, to, bwrapPath: wall(), limits }),
    grow: async (tree, to) => {
      return call("grow", { tree, to, bwrapPath: wall() });
    },
    changes: (from, to, max) => call("changes", { from, to, max }),
    times: (tree, from, to, max) => call("times", { tree, from, to, max }),
    diff: (from, to, options) => call("diff", { from, to, options }),
    sweep: async (ids, dryRun) => {
      const swept = await call("sweep", { ids, dryRun });
      storeBytes = (await call("status", {})).bytes;
      return swept;
    },
    check: (ids) => call("check", { ids }),
    status: () => call("status", {}),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      if (worker === null) return;
      const ending = worker;
      // What it is at may be long; whatever it is cut at, the store stays whole.
      const late = new Promise<null>((resolve) => void setTimeout(resolve, CLOSE_MAX_MS, null).unref());
      await Promise.race([call("close", {}).catch(() => null), late]);
      await ending.terminate();
    },
  };
}

/** A first guess: what cannot be looked at here is told by whoever opens the store. */
function bytesIn(folder: string): number {
  const names = unless(MISSING, () => readdirSync(folder)) ?? [];
  return names.reduce((sum, name) => sum + (unless(MISSING, () => statSync(join(folder, name)))?.size ?? 0), 0);
}

const MISSING = [...UNREACHABLE, "EPERM", "EIO"];
