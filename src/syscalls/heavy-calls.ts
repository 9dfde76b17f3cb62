import { NomosError } from "../contract/index.ts";
import type { Actor } from "../domains/index.ts";

/** Limits calls that keep a thread busy for long, such as a check of the whole log. */
export interface HeavyCalls {
  /** Counts one call for this principal; throws `overloaded` at the limit. Call the result when done. */
  readonly take: (actor: Actor) => () => void;
  /**
   * Runs at most one work of a name and queues one more. Later callers share the queued one: it starts after they asked, so
   * its result is recent enough. Callers that are not urgent get the last result for a while.
   */
  readonly shared: <T>(name: string, urgent: boolean, work: () => Promise<T>) => Promise<T>;
}

const UNDER_WAY_MAX = 4;
/** For callers that are not urgent, a check runs again only after this pause and after nine times its duration. */
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
