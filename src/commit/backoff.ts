import { toNomosError } from "../contract/index.ts";
import type { Clock } from "../host/index.ts";
import { oneMoreFailure, type Trouble } from "./trouble.ts";

/** Failed items, each with its own wait, which doubles up to a minute. A waiting item does not delay the others. */
export interface Backoff {
  readonly failed: (id: string, thrown: unknown) => Trouble;
  readonly worked: (id: string) => void;
  readonly isWaiting: (id: string) => boolean;
  readonly trouble: (id: string) => Trouble | null;
  readonly all: () => readonly (Trouble & { readonly id: string })[];
  /** Forgets all items that are not in this list: they have ended for another reason. */
  readonly keepOnly: (ids: ReadonlySet<string>) => void;
  /** Time until the first item may be retried, including items asked about too early; null when none waits. */
  readonly nextInMs: () => number | null;
  /** The limit of remembered failures is reached: further failures would be retried without a wait. */
  readonly isFull: () => boolean;
}

const REMEMBERED_MAX = 10_000;

export function createBackoff(clock: Clock, random: () => number): Backoff {
  const known = new Map<string, Trouble & { readonly retryAtSteadyMs: number }>();
  /** Items that were skipped because they still waited. Their wait may end before the next retry is scheduled. */
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
      // Other items whose wait is over are being tried or have ended: waiting for them would spin.
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
