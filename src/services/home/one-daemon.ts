import type { Clock } from "../../host/index.ts";
import { type HomeLock, type Store, StoreError } from "../../store/index.ts";

type OnLost = (error: StoreError) => void;

/**
 * Ends a daemon that lost its home to another one. It would otherwise go on answering, signing checkpoints and deleting
 * folders that now belong to the other daemon.
 */
export function endWhenFenced(store: Store, onLost: OnLost): Store {
  /** False until the first write succeeded: a start that is refused is reported to its caller instead. */
  let hadLease = false;
  const guarded =
    <A extends readonly unknown[], R>(write: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      try {
        const written = await write(...given);
        hadLease = true;
        return written;
      } catch (thrown) {
        if (hadLease && thrown instanceof StoreError && thrown.code === "stale_fence") onLost(thrown);
        throw thrown;
      }
    };
  return {
    ...store,
    append: guarded(store.append),
    erase: guarded(store.erase),
    setCursor: guarded(store.setCursor),
    dropCursor: guarded(store.dropCursor),
    sweepBlobs: guarded(store.sweepBlobs),
    giveBack: guarded(store.giveBack),
  };
}

/** Recreates a deleted lock file before another daemon can take the lock. */
export function watchLock(given: {
  readonly lock: HomeLock;
  readonly clock: Clock;
  readonly log: (message: string, details?: Readonly<Record<string, unknown>>) => void;
  readonly onLost: OnLost;
}): { readonly stop: () => void } {
  const { lock, clock, log, onLost } = given;
  let cancel = (): void => undefined;
  let lastProblem: string | null = null;
  const look = (): void => {
    try {
      if (!lock.keep()) onLost(new StoreError("home_in_use", { reason: "the lock file was replaced" }));
      lastProblem = null;
    } catch (thrown) {
      const problem = String(thrown);
      if (problem !== lastProblem) log("the lock file could not be recreated", { reason: problem });
      lastProblem = problem;
    }
    arm();
  };
  const arm = (): void => {
    cancel = clock.after(LOOK_EVERY_MS, look);
  };
  arm();
  return { stop: () => cancel() };
}

const LOOK_EVERY_MS = 2_000;
