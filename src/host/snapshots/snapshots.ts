import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { UNREACHABLE, unless } from "../errno.ts";
import type { DiffOptions, FileDiff } from "./diff/file-diffs.ts";
import type { Swept } from "./packs/sweep.ts";
import { SnapshotError } from "./snapshot-error.ts";
import type { Calls, Reply, Underway } from "./snapshot-messages.ts";
import type { ChangeList, ChangeTime, SnapshotsChecked, Taken } from "./snapshot-store.ts";
import type { OnBytes, Restored, RestoreLimits, TreeSpec } from "./tree-spec.ts";

/** Snapshots of file trees, by id. Knows nothing of sessions. */
export interface Snapshots {
  /** Durable when it resolves. The same tree has the same id. */
  readonly take: (tree: TreeSpec, onBytes?: OnBytes) => Promise<Taken>;
  /** Throws where restores are not possible. */
  readonly requireRestore: () => void;
  /** Restores the tree, within limits. A directory is removed only when nothing in it stays. */
  readonly restore: (tree: TreeSpec, to: string, limits?: RestoreLimits, onBytes?: OnBytes) => Promise<Restored>;
  /** Makes a new directory and fills it; nothing may exist under its name. */
  readonly grow: Snapshots["restore"];
  readonly changes: (from: string | null, to: string, max: number) => Promise<ChangeList>;
  /** The changed files with mode and change time from the last walk of the tree. */
  readonly times: (tree: TreeSpec, from: string, to: string, max: number) => Promise<readonly ChangeTime[]>;
  /** Contents of files by their names (`byteNameOf`); null where there is no file, or a larger one. */
  readonly read: (of: string, names: readonly string[], bytesMax: number) => Promise<readonly (Uint8Array | null)[]>;
  readonly diff: (from: string | null, to: string, options: DiffOptions) => Promise<readonly FileDiff[]>;
  /** Removes what none of these snapshots needs. */
  readonly sweep: (ids: readonly string[], dryRun: boolean) => Promise<Swept>;
  readonly check: (ids: readonly string[]) => Promise<SnapshotsChecked>;
  readonly status: () => Promise<Calls["status"]["answer"]>;
  /** The size of the store on disk, as last reported. */
  readonly bytes: () => number;
  readonly close: () => Promise<void>;
}

export interface SnapshotsOptions {
  /** Private; created if missing. */
  readonly folder: string;
  /** Null: snapshots can be taken but not restored. */
  readonly bwrapPath: string | null;
}

const CLOSE_MAX_MS = 1000;
/** By default V8 would let garbage of the thread grow to 48 MB before it collects. */
const YOUNG_MB = 6;

/** The thread starts with the first call. */
export function openSnapshots({ folder, bwrapPath }: SnapshotsOptions): Snapshots {
  const waiting = new Map<number, PromiseWithResolvers<Calls[keyof Calls]["answer"]> & { readonly onBytes: OnBytes }>();
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
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const started = new Worker(new URL("./snapshot-thread.ts", import.meta.url), {
      workerData: { folder },
      resourceLimits,
    });
    started.on("message", (reply: Reply | Underway) => {
      const one = waiting.get(reply.n);
      if ("done" in reply) return one?.onBytes(reply.done, reply.of);
      waiting.delete(reply.n);
      if (reply.ok) one?.resolve(reply.answer);
      else one?.reject(reply.code === null ? new Error(reply.message) : new SnapshotError(reply.code, reply.details));
      if (waiting.size === 0) started.unref();
    });
    started.on("error", failAll);
    started.on("exit", () => failAll(new SnapshotError("snapshots_closed")));
    return started;
  };
  const call = async <K extends keyof Calls>(
    kind: K,
    ask: Calls[K]["ask"],
    onBytes: OnBytes = () => undefined,
  ): Promise<Calls[K]["answer"]> => {
    if (isClosed && kind !== "close") throw new SnapshotError("snapshots_closed");
    worker ??= start();
    n += 1;
    const answer = Promise.withResolvers<Calls[keyof Calls]["answer"]>();
    waiting.set(n, { ...answer, onBytes });
    worker.ref();
    worker.postMessage({ n, call: kind, ask });
    return answer.promise;
  };

  const wall = (): string => {
    if (bwrapPath === null) throw new SnapshotError("restore_unavailable");
    return bwrapPath;
  };

  return {
    take: async (tree, onBytes) => {
      const taken = await call("take", { tree }, onBytes);
      storeBytes += taken.storedBytes;
      return taken;
    },
    bytes: () => storeBytes,
    requireRestore: () => void wall(),
    restore: async (tree, to, limits = {}, onBytes) =>
      call("restore", { tree, to, bwrapPath: wall(), limits }, onBytes),
    grow: async (tree, to, limits = {}, onBytes) => call("grow", { tree, to, bwrapPath: wall(), limits }, onBytes),
    changes: (from, to, max) => call("changes", { from, to, max }),
    times: (tree, from, to, max) => call("times", { tree, from, to, max }),
    read: (of, names, bytesMax) => call("read", { of, names, bytesMax }),
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
      // A running call may take long. The store stays intact wherever it is cut off.
      const late = new Promise<null>((resolve) => void setTimeout(resolve, CLOSE_MAX_MS, null).unref());
      await Promise.race([call("close", {}).catch(() => null), late]);
      await ending.terminate();
    },
  };
}

/** A first estimate; errors here are reported when the store is opened. */
function bytesIn(folder: string): number {
  const names = unless(MISSING, () => readdirSync(folder)) ?? [];
  return names.reduce((sum, name) => sum + (unless(MISSING, () => statSync(join(folder, name)))?.size ?? 0), 0);
}

const MISSING = [...UNREACHABLE, "EPERM", "EIO"];
