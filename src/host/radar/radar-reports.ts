import type { BaseReport, PairReport, RadarReport } from "./radar-messages.ts";

/** What was reported, so that only changes are. */
export interface Reports {
  /** Pairs, or single trees, that are recorded as colliding. Any other one that collides is told again. */
  readonly expect: (open: readonly (readonly string[])[]) => void;
  readonly isOpen: (a: string, b: string) => boolean;
  /** Compares them if `state` is another than last time. True: it did. */
  readonly pair: (a: string, b: string, state: string, compare: () => Promise<PairReport>) => Promise<boolean>;
  readonly base: (tree: string, state: string, compare: () => Promise<BaseReport>) => Promise<boolean>;
  readonly forget: (tree: string) => void;
}

interface Reported {
  /** What the last comparison was made of. */
  state: string | null;
  /** Null: nothing was reported by this thread. */
  told: string | null;
  isOpen: boolean;
}

export function createReports(report: (one: RadarReport) => void): Reports {
  const known = new Map<string, Reported>();
  const at = (key: string): Reported => {
    const found = known.get(key) ?? { state: null, told: null, isOpen: false };
    known.set(key, found);
    return found;
  };
  const compared = async (
    key: string,
    state: string,
    compare: () => Promise<PairReport | BaseReport>,
  ): Promise<boolean> => {
    const last = at(key);
    if (last.state === state) return false;
    // Also when it fails: it is tried again when something changes.
    last.state = state;
    const found = await compare().catch((thrown: unknown) => {
      report({ what: "trouble", tree: null, reason: thrown instanceof Error ? thrown.message : String(thrown) });
      return null;
    });
    if (found === null) return true;
    const isOpen = found.files.length > 0 || (found.what === "base" && found.branch !== null);
    const told = JSON.stringify(found);
    if (told !== last.told && (isOpen || last.isOpen)) report(found);
    [last.told, last.isOpen] = [told, isOpen];
    return true;
  };
  return {
    expect: (open) => {
      for (const trees of open) {
        const last = at(keyOf(trees));
        if (last.told === null) last.isOpen = true;
      }
      // Another session stands for a tree now: what was told of the one before is told again.
      const expected = new Set(open.map(keyOf));
      for (const [key, last] of known)
        if (last.isOpen && last.told !== null && !expected.has(key)) [last.state, last.told] = [null, null];
    },
    isOpen: (a, b) => known.get(keyOf([a, b]))?.isOpen === true,
    pair: (a, b, state, compare) => compared(keyOf([a, b]), state, compare),
    base: (tree, state, compare) => compared(keyOf([tree]), state, compare),
    forget: (tree) => {
      for (const key of [...known.keys()]) if (key.split(" ").includes(tree)) known.delete(key);
    },
  };
}

const keyOf = (trees: readonly string[]): string => trees.toSorted().join(" ");
