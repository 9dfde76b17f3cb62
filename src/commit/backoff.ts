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
  /** Until the first of them may be tried again, those included that were asked about too early; null when nothing waits. */
  readonly nextInMs: () => number | null;
  /** As many have failed as are remembered: whoever tries more would try them without a wait. */
  readonly isFull: () => boolean;
}

const REMEMBERED_MAX = 10_000;

export function createBackoff(clock: Clock, random: () => number): Backoff {
  const known = new Map<string, Trouble & { readonly retryAtSteadyMs: number }>();
  /** Passed over because they still waited. Their wait may end before anybody asks when to come back. */
  const passedOver = new Set<string>();
  return {
    failed: (id, thrown) => {
      const { trouble, waitMs } = oneMoreFailure(toNomosError(thrown), known.get(id) ?? null, clock, random);
      known.set(id, { ...trouble, retryAtSteadyMs: clock.steadyMs() + waitMs });
      return trouble;
    },
    worked: (id) => void known.delete(id),
    isWaiting: (id) => {
      const isEarly = (known.get(id)?.retryAtSteadyMs ?? Number.NEGATIVE_INFINITY) > clock.steadyMs();
      if (isEarly) passedOver.add(id);
      else passedOver.delete(id);
      return isEarly;
    },
    trouble: (id) => known.get(id) ?? null,
    all: () => [...known].map(([id, { retryAtSteadyMs: _, ...trouble }]) => ({ id, ...trouble })),
    keepOnly: (ids) => {
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
    },
    nextInMs: () => {
      // Any other whose wait is over is being tried, or is nobody's any more: to wait for it would be to spin.
      const nowMs = clock.steadyMs();
      const waits = [...known]
        .filter(([id, { retryAtSteadyMs }]) => retryAtSteadyMs > nowMs || passedOver.has(id))
        .map(([, { retryAtSteadyMs }]) => Math.max(1, retryAtSteadyMs - nowMs));
      passedOver.clear();
      return waits.length === 0 ? null : waits.reduce((first, wait) => Math.min(first, wait));
    },
    isFull: () => known.size >= REMEMBERED_MAX,
  };
}
