import { Worker } from "node:worker_threads";
import type { RadarLimits, RadarOrder, RadarReport, RadarSettings } from "./radar-messages.ts";

/** Tells when the work of two worktrees collides, or that of a worktree and its branch. Knows nothing of sessions. */
export interface Radar {
  /** The worktrees to compare from now on. `open`: what is known as colliding, so that its end is reported. */
  readonly watch: (trees: readonly string[], open: readonly (readonly string[])[], limits: RadarLimits) => void;
  /** Something may have changed in this worktree. */
  readonly nudge: (tree: string) => void;
  readonly close: () => Promise<void>;
}

export interface RadarOptions extends RadarSettings {
  readonly onReport: (report: Exclude<RadarReport, { what: "closed" | "trouble" }>) => void;
  readonly onTrouble: (tree: string | null, reason: string) => void;
}

const CLOSE_MAX_MS = 1000;
const AGAIN_MS = 5000;
const AGAIN_MAX_MS = 600_000;
/** Enough for the paths and folders of the largest trees that are compared. */
const MEMORY_MB = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 512 };

/** The thread starts with the first worktree and ends with the last one. If it fails it is started again, later each time. */
export function openRadar({ onReport, onTrouble, ...settings }: RadarOptions): Radar {
  let worker: Worker | null = null;
  let last: Extract<RadarOrder, { do: "watch" }> | null = null;
  let again: NodeJS.Timeout | null = null;
  let againMs = AGAIN_MS;
  let isClosed = false;

  const isWanted = (): boolean => (last?.trees.length ?? 0) > 0;
  const send = (order: RadarOrder): void => worker?.postMessage(order);
  const start = (): void => {
    const { environment, ...rest } = settings;
    const PATH = environment["PATH"];
    const workerData: RadarSettings = { ...rest, environment: { PATH } };
    const started = new Worker(new URL("./radar-thread.ts", import.meta.url), {
      workerData,
      resourceLimits: MEMORY_MB,
    });
    worker = started;
    started.on("message", (report: RadarReport) => {
      if (report.what === "trouble") onTrouble(report.tree, report.reason);
      else if (report.what !== "closed" && !isClosed) onReport(report);
    });
    started.on("error", (thrown: unknown) => onTrouble(null, String(thrown)));
    started.on("exit", () => {
      if (worker === started) worker = null;
      if (isClosed || !isWanted() || again !== null) return;
      again = setTimeout(() => {
        again = null;
        if (!isClosed && worker === null && isWanted()) start();
      }, againMs).unref();
      againMs = Math.min(AGAIN_MAX_MS, againMs * 2);
    });
    started.unref();
    if (last !== null) send(last);
  };
  const end = async (ending: Worker): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ending.once("exit", () => resolve());
    const late = setTimeout(() => void ending.terminate(), CLOSE_MAX_MS).unref();
    ending.postMessage({ do: "close" } satisfies RadarOrder);
    ending.ref();
    await promise;
    clearTimeout(late);
  };

  return {
    watch: (trees, open, limits) => {
      last = { do: "watch", trees, open, limits };
      if (isClosed) return;
      if (worker !== null) send(last);
      else if (trees.length > 0 && again === null) start();
    },
    nudge: (tree) => send({ do: "nudge", tree }),
    close: async () => {
      isClosed = true;
      if (again !== null) clearTimeout(again);
      if (worker !== null) await end(worker);
    },
  };
}
