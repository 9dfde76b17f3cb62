import { compareBase, comparePair } from "./compare-trees.ts";
import { findLanded, lookAtTree } from "./look-at-tree.ts";
import type { Ground } from "./radar-ground.ts";
import type { Reports } from "./radar-reports.ts";
import { meet, originOf, type RadarTree } from "./radar-tree.ts";

/** Where the branches are that trees came from; null: it is gone. */
export type BranchCommits = ReadonlyMap<string, string | null>;

export interface GroupDeps {
  readonly reports: Reports;
  readonly inTrouble: (tree: RadarTree, work: () => Promise<void>) => Promise<void>;
  readonly isClosed: () => boolean;
}

export interface Comparing {
  /** Reads the work of trees that meet others, each at most this often. Returns those that have something to collide with. */
  readonly look: (
    group: readonly RadarTree[],
    ground: Ground,
    tips: BranchCommits,
    limits: { readonly lookEveryMs: number; readonly fileBytesMax: number },
  ) => Promise<readonly RadarTree[]>;
  /** Merges what changed since. False: some are left for the next time. */
  readonly compare: (group: readonly RadarTree[], ground: Ground, tips: BranchCommits) => Promise<boolean>;
}

const MERGES_MAX = 12;

/** Compares the trees of one repository with each other and with their branches. */
export function createComparing({ reports, inTrouble, isClosed }: GroupDeps): Comparing {
  const met = new Map<string, { readonly at: string; readonly isMet: boolean }>();
  const meets = (a: RadarTree, b: RadarTree): boolean => {
    const key = [a.id, b.id].toSorted().join(" ");
    const at = a.id < b.id ? `${a.revision} ${b.revision}` : `${b.revision} ${a.revision}`;
    const known = met.get(key);
    if (known?.at === at) return known.isMet;
    const isMet = meet(a, b);
    if (met.size > MET_MAX) met.clear();
    met.set(key, { at, isMet });
    return isMet;
  };
  const tipFor = ({ branch }: RadarTree, tips: BranchCommits) => (branch === null ? null : (tips.get(branch) ?? null));

  const comparedPairs = async (a: RadarTree, others: readonly RadarTree[], ground: Ground): Promise<number> => {
    let merges = 0;
    for (const b of others) {
      if (!reports.isOpen(a.id, b.id) && !meets(a, b)) continue;
      if ((a.commit === null || b.commit === null) && !(a.isScanned && b.isScanned)) continue;
      const state = [a.commit, b.commit, a.landed.tip, b.landed.tip].join(" ");
      merges += (await reports.pair(a.id, b.id, state, () => comparePair(a, b, ground))) ? 1 : 0;
      if (isClosed() || merges >= MERGES_MAX) break;
    }
    return merges;
  };

  return {
    look: async (group, ground, tips, { lookEveryMs, fileBytesMax }) => {
      const compared: RadarTree[] = [];
      for (const tree of group) {
        const tip = tipFor(tree, tips);
        const others = group.filter((other) => other !== tree);
        const isMoved = tip !== null && tip !== originOf(tree.record);
        const isDue = tree.dirty.size > 0 && performance.now() >= tree.lookedMs + lookEveryMs;
        if (isMoved || others.length > 0) compared.push(tree);
        if (isClosed()) return compared;
        const isNeeded = () =>
          isMoved || others.some((other) => reports.isOpen(tree.id, other.id) || meets(tree, other));
        await inTrouble(tree, async () => {
          if (isDue && isNeeded()) {
            const first = (path: string) => others.some(({ paths }) => paths.meets(path));
            await lookAtTree(tree, ground, { fileBytesMax, first });
            Object.assign(tree, { lookedMs: performance.now(), fault: null });
          }
          if (tree.commit !== null || tree.changes.size === 0) await findLanded(tree, ground, tip);
        });
      }
      return compared;
    },
    compare: async (group, ground, tips) => {
      let merges = 0;
      for (const [at, tree] of group.entries()) {
        merges += await comparedPairs(tree, group.slice(at + 1), ground);
        if (isClosed() || merges >= MERGES_MAX) return false;
        const tip = tipFor(tree, tips);
        const isMoved = tip !== originOf(tree.record);
        if (isMoved && !tree.isScanned) continue;
        const state = [tree.commit, tip, tree.landed.tip].join(" ");
        const isNew = await reports.base(tree.id, state, () => compareBase(tree, ground, tip));
        merges += isNew && isMoved ? 1 : 0;
      }
      return true;
    },
  };
}

const MET_MAX = 100_000;
