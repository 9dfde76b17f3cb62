import { NomosError } from "../contract/index.ts";
import type { Actor } from "../kernel/index.ts";

/** Calls that keep a thread busy for long, such as a check of the whole log: nobody may have more than a few under way. */
export interface HeavyCalls {
  /** Counts one more for this principal; `overloaded` when it has its share. The answer gives it back. */
  readonly take: (actor: Actor) => () => void;
  /**
   * At most one of a name runs and one waits. Whoever asks meanwhile shares the one that waits: it begins after they
   * asked, so it sees all that was there then. Whoever is not urgent is answered with the last one for a while.
   */
  readonly shared: <T>(name: string, urgent: boolean, work: () => Promise<T>) => Promise<T>;
}

const UNDER_WAY_MAX = 4;
/** A check is done again on behalf of whoever may only look when it has rested for this long, and nine times as long as it took. */
const REST_MIN_MS = 2000;
const REST_SHARE = 9;

interface Line {
  running: Promise<unknown> | null;
  waiting: Promise<unknown> | null;
  last: { readonly value: unknown; readonly endedMs: number; readonly tookMs: number } | null;
}

export function createHeavyCalls(steadyMs: () => number): HeavyCalls {
  const underWay = new Map<string, number>();
  const lines = new Map<string, Line>();

  const begin = async <T>(line: Line, work: () => Promise<T>): Promise<T> => {
    const startedMs = steadyMs();
    const value = await work();
    line.last = { value, endedMs: steadyMs(), tookMs: steadyMs() - startedMs };
    return value;
  };
  const start = <T>(line: Line, work: () => Promise<T>): Promise<T> => {
    const mine = begin(line, work).finally(() => {
      line.running = null;
    });
    line.running = mine;
    return mine;
  };
  const next = async <T>(line: Line, before: Promise<unknown>, work: () => Promise<T>): Promise<T> => {
    await before.catch(() => undefined);
    line.waiting = null;
    return start(line, work);
  };

  return {
    take: ({ principal }) => {
      const before = underWay.get(principal) ?? 0;
      if (before >= UNDER_WAY_MAX)
        throw new NomosError("overloaded", { of: "long calls", held: before, max: UNDER_WAY_MAX });
      underWay.set(principal, before + 1);
      return () => {
        const left = (underWay.get(principal) ?? 1) - 1;
        if (left === 0) underWay.delete(principal);
        else underWay.set(principal, left);
      };
    },
    shared: <T>(name: string, urgent: boolean, work: () => Promise<T>): Promise<T> => {
      const line = lines.get(name) ?? { running: null, waiting: null, last: null };
      lines.set(name, line);
      const { running, waiting, last } = line;
      if (!urgent && last !== null && steadyMs() - last.endedMs < Math.max(REST_MIN_MS, REST_SHARE * last.tookMs))
        return Promise.resolve(last.value as T);
      if (waiting !== null) return waiting as Promise<T>;
      if (running === null) return start(line, work);
      const mine = next(line, running, work);
      line.waiting = mine;
      return mine;
    },
  };
}
