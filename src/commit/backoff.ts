import { toNomosError } from "../contract/index.ts";
import type { Clock } from "../host/index.ts";
import { oneMoreFailure, type Trouble } from "./trouble.ts";

/** Things that failed, each with its own wait, which doubles up to a minute. One that waits holds up no other. */
export interface Backoff {
  readonly failed: (id: string, thrown: unknown) => Trouble;
  readonly worked: (id: string) => void;
  readonly isWaiting: (id: string) => boolean;
  readonly trouble: (id: string) => Trouble | null;
  readonly all: () => readonly (Trouble & { readonly id: string })[];
  /** Forgets those that are not among these: they are over for another reason. */
  readonly keepOnly: (ids: ReadonlySet<string>) => void;
  /** Until the first of them may be tried again; null when nothing waits. */
  readonly nextInMs: () => number | null;
  /** As many have failed as are remembered: whoever tries more would try them without a wait. */
  readonly isFull: () => boolean;
}

const REMEMBERED_MAX = 10_000;

export function createBackoff(clock: Clock, random: () => number): Backoff {
  const known = new Map<string, Trouble & { readonly retryAtSteadyMs: number }>();
  return {
    failed: (id, thrown) => {
      const { trouble, waitMs } = oneMoreFailure(toNomosError(thrown), known.get(id) ?? null, clock, random);
      known.set(id, { ...trouble, retryAtSteadyMs: clock.steadyMs() + waitMs });
      return trouble;
    },
    worked: (id) => void known.delete(id),
    isWaiting: (id) => (known.get(id)?.retryAtSteadyMs ?? Number.NEGATIVE_INFINITY) > clock.steadyMs(),
    trouble: (id) => known.get(id) ?? null,
    all: () => [...known].map(([id, { retryAtSteadyMs: _, ...trouble }]) => ({ id, ...trouble })),
    keepOnly: (ids) => {
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    },
    nextInMs: () => {
      // One whose wait is over is being tried, or is nobody's any more: to wait for it would be to spin.
      const nowMs = clock.steadyMs();
      let firstMs: number | null = null;
      for (const { retryAtSteadyMs } of known.values())
        if (retryAtSteadyMs > nowMs) firstMs = Math.min(firstMs ?? retryAtSteadyMs, retryAtSteadyMs);
      return firstMs === null ? null : firstMs - nowMs;
    },
    isFull: () => known.size >= REMEMBERED_MAX,
  };
}
