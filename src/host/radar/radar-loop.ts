import { createGitRunner, type GitRunner } from "../git/run-git.ts";
import { createComparing } from "./compare-group.ts";
import { createPacer } from "./pacer.ts";
import { createGrounds } from "./radar-grounds.ts";
import type { RadarLimits, RadarOrder, RadarReport, RadarSettings } from "./radar-messages.ts";
import { createReports } from "./radar-reports.ts";
import { createScans } from "./radar-scans.ts";
import { openTree, type RadarTree, takeEvents, watchTree } from "./radar-tree.ts";

/** Compares worktrees as they change. Does one thing after another, and rests between. */
export interface RadarLoop {
  readonly take: (order: Exclude<RadarOrder, { do: "close" }>) => void;
  /** Resolves when nothing runs any more. */
  readonly close: () => Promise<void>;
}

/** Changes that come together are looked at together. */
const SETTLE_MS = 200;
/** How often branches are looked at. */
const TICK_MS = 1000;
const FAULT_REST_MS = 60_000;

export function createRadarLoop(settings: RadarSettings, report: (one: RadarReport) => void): RadarLoop {
  const { environment, worktrees, scratch } = settings;
  const stopping = new AbortController();
  const git = endedBy(stopping.signal, createGitRunner(environment));
  const trees = new Map<string, RadarTree>();
  const grounds = createGrounds(git, scratch);
  const reports = createReports(report);
  const budget = { folders: 0 };
  let limits: RadarLimits = { lookEveryMs: 0, foldersMax: 0, fileBytesMax: 0 };
  let wanted: readonly string[] = [];
  let isClosed = false;

  const toldOf = (tree: string | null) => (thrown: unknown) => {
    report({ what: "trouble", tree, reason: String(thrown) });
    return null;
  };
  const inTrouble = async (tree: RadarTree, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      tree.lookedMs = performance.now() + FAULT_REST_MS;
      tree.scannedMs = performance.now() + FAULT_REST_MS;
      if (tree.fault !== reason && !isClosed) report({ what: "trouble", tree: tree.id, reason });
      tree.fault = reason;
    }
  };
  const scanOne = createScans(grounds, inTrouble);
  const comparing = createComparing({ reports, inTrouble, isClosed: () => isClosed });

  const enrol = async (): Promise<void> => {
    for (const [id, tree] of trees) {
      if (wanted.includes(id)) continue;
      tree.watch?.close();
      trees.delete(id);
      reports.forget(id);
    }
    for (const id of wanted) {
      if (trees.has(id) || isClosed) continue;
      const opened = await openTree(git, worktrees, id).catch(toldOf(id));
      if (opened === null) continue;
      trees.set(id, opened.tree);
      grounds.placed(opened.found);
    }
  };

  /** True: some pairs are left for the next time. */
  const compareGroup = async (key: string, compared: RadarTree[]): Promise<boolean> => {
    const group = [...trees.values()].filter((tree) => tree.key === key);
    const ground = await grounds.of(key, group);
    for (const tree of group) {
      // A tree alone collides with its branch only, which is compared when the branch moves.
      if (tree.watch === null && group.length > 1 && !isClosed)
        await inTrouble(tree, () => watchTree(tree, () => grounds.known(key), budget, pacer.soon));
      await inTrouble(tree, () => takeEvents(tree));
    }
    const tips = new Map<string, string | null>();
    for (const { branch } of group)
      if (branch !== null && !tips.has(branch)) tips.set(branch, await ground.tipOf(branch));
    compared.push(...(await comparing.look(group, ground, tips, limits)));
    return !(await comparing.compare(group, ground, tips));
  };

  const step = async (): Promise<boolean> => {
    await enrol();
    const keys = new Set([...trees.values()].map((tree) => tree.key));
    await grounds.keep(keys);
    const compared: RadarTree[] = [];
    let hasMore = false;
    for (const key of keys) {
      if (isClosed) return false;
      const isBehind = await compareGroup(key, compared).catch((thrown: unknown) => {
        for (const tree of trees.values()) if (tree.key === key) void inTrouble(tree, () => Promise.reject(thrown));
        return false;
      });
      hasMore ||= isBehind;
    }
    if (!isClosed) await scanOne(compared, limits.lookEveryMs);
    return hasMore;
  };
  const pacer = createPacer({
    work: async () => (await step().catch(toldOf(null))) === true,
    isWanted: () => trees.size > 0 || wanted.length > 0,
    soonMs: SETTLE_MS,
    everyMs: TICK_MS,
  });

  return {
    take: (order) => {
      if (order.do === "watch") {
        budget.folders += order.limits.foldersMax - limits.foldersMax;
        [limits, wanted] = [order.limits, order.trees];
        reports.expect(order.open);
      } else {
        const tree = trees.get(order.tree);
        if (tree !== undefined && tree.watch?.isComplete() !== true) tree.wantsScan = true;
      }
      pacer.soon();
    },
    close: async () => {
      isClosed = true;
      stopping.abort(new Error("the radar stops"));
      await pacer.close();
      for (const tree of trees.values()) tree.watch?.close();
      await grounds.keep(new Set());
    },
  };
}

/** A git that waits for something an agent made must not hold up the end of the daemon. */
function endedBy(signal: AbortSignal, { run, must, text }: GitRunner): GitRunner {
  return {
    run: (args, options) => run(args, { ...options, signal }),
    must: (args, options) => must(args, { ...options, signal }),
    text: (args, options) => text(args, { ...options, signal }),
  };
}
