import type { Grounds } from "./radar-grounds.ts";
import { originOf, type RadarTree, scanPaths } from "./radar-tree.ts";

/** A look through a whole tree is followed by a rest this many times as long: it takes at most a thirteenth of a core. */
const REST_TIMES = 12;
const REST_MAX_MS = 30_000;
/** A watched tree is looked through again after this long: the system may have dropped a change. */
const RESCAN_MS = 600_000;

/** Looks through whole trees, one after another, with rests between. */
export function createScans(
  grounds: Pick<Grounds, "known">,
  inTrouble: (tree: RadarTree, work: () => Promise<void>) => Promise<void>,
): (trees: readonly RadarTree[], everyMs: number) => Promise<void> {
  let nextMs = 0;
  const isDue = (tree: RadarTree, nowMs: number, everyMs: number): boolean => {
    if (nowMs < tree.scannedMs + everyMs) return false;
    return tree.wantsScan || (tree.watch !== null && nowMs > tree.scannedMs + RESCAN_MS);
  };
  return async (trees, everyMs) => {
    const nowMs = performance.now();
    if (nowMs < nextMs) return;
    const due = trees.filter((tree) => isDue(tree, nowMs, everyMs));
    // The one that waits longest.
    const [tree] = due.toSorted((a, b) => a.scannedMs - b.scannedMs);
    const ground = grounds.known(tree?.key ?? "");
    if (tree === undefined || ground === null) return;
    await inTrouble(tree, async () => {
      await scanPaths(tree, ground, await ground.baseOf(originOf(tree.record)));
      Object.assign(tree, { scannedMs: performance.now(), isScanned: true, fault: null });
    });
    nextMs = performance.now() + Math.min(REST_MAX_MS, REST_TIMES * (performance.now() - nowMs));
  };
}
