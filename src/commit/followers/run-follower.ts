import { setImmediate } from "node:timers/promises";
import { NomosError, toNomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import { type Follower, StoreError } from "../../store/index.ts";
import { oneMoreFailure, type Trouble } from "../trouble.ts";

export interface FollowerState {
  readonly name: string;
  /** Position of the last event it has taken. */
  readonly position: number;
  /** How many events it is behind the log. */
  readonly lag: number;
  readonly state: "following" | "behind" | "failing";
  readonly failure: Trouble | null;
}

export interface RunningFollower {
  readonly state: () => FollowerState;
  /** Called when the log has grown. */
  readonly news: () => void;
  readonly caughtUp: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface RunDeps {
  readonly clock: Clock;
  /** Position of the last event of the log. */
  readonly end: () => number;
  /** Random number: at least 0, less than 1. */
  readonly random: () => number;
  readonly log: (message: string, details: object) => void;
}

/** With less lag than this it pauses, so that a burst is taken in one page. */
const BEHIND_EVENTS = 1000;
/** A page that takes longer does not delay the daemon's stop: it is taken again after the next start. */
const CLOSE_MAX_MS = 5000;

/** Takes one follower along behind the log, page by page. It waits for no other follower, and no append waits for it. */
export function startFollower(follower: Follower, deps: RunDeps): RunningFollower {
  const { name, pauseMs } = follower;
  const { clock, end, log } = deps;
  let position = 0;
  let failure: Trouble | null = null;
  let problem: NomosError | null = null;
  let cancelTimer: (() => void) | null = null;
  let last: Promise<void> = Promise.resolve();
  let queued = 0;
  let passing: Promise<void> | null = null;
  let waitingToRestart = 0;
  let isClosed = false;

  const worked = (reached: number): void => {
    position = reached;
    if (failure !== null) log("a follower of the log works again", { follower: name, tries: failure.tries });
    failure = null;
    problem = null;
  };
  const failed = (thrown: unknown): number => {
    problem = problemOf(thrown);
    const { trouble, waitMs } = oneMoreFailure(problem, failure, clock, deps.random);
    failure = trouble;
    const { code, tries } = trouble;
    if (tries === 1 && !isClosed)
      log("a follower of the log failed; trying again", { follower: name, code, reason: String(thrown) });
    return waitMs;
  };
  const disarm = (): void => {
    cancelTimer?.();
    cancelTimer = null;
  };
  const arm = (waitMs: number): void => {
    if (isClosed || cancelTimer !== null || queued > 0) return;
    cancelTimer = clock.after(waitMs, () => {
      cancelTimer = null;
      void pass();
    });
  };

  /** One task at a time, in order of arrival; its result decides when the next pass runs. */
  const inTurn = (work: () => Promise<void>, isMoreDue: () => boolean): Promise<void> => {
    disarm();
    queued += 1;
    last = last.then(async () => {
      const retryMs = await work().then(() => null, failed);
      queued -= 1;
      if (retryMs !== null) arm(retryMs);
      else if (isMoreDue()) arm(pauseMs);
    });
    return last;
  };
  const pages = async (): Promise<void> => {
    while (!isClosed && waitingToRestart === 0) {
      const advanced = await follower.advance();
      worked(advanced.position);
      if (advanced.isAtEnd) return;
      await setImmediate();
    }
  };
  const isBehind = (): boolean => position < end();
  const pass = (): Promise<void> => {
    passing ??= inTurn(pages, isBehind).finally(() => {
      passing = null;
    });
    return passing;
  };
  const requireOpen = (): void => {
    if (isClosed) throw new StoreError("store_closed");
  };

  void inTurn(
    async () => worked(await follower.position()),
    // Runs also at the end of the log: a crash may have come between the last page and its cursor.
    () => true,
  );

  return {
    state: () => {
      const lag = Math.max(0, end() - position);
      const state = failure !== null ? "failing" : lag > BEHIND_EVENTS ? "behind" : "following";
      return { name, position, lag, state, failure };
    },
    news: () => arm(pauseMs),
    caughtUp: async () => {
      const target = end();
      while (position < target || problem !== null) {
        requireOpen();
        await pass();
        if (problem !== null) throw problem;
      }
    },
    restart: async () => {
      requireOpen();
      waitingToRestart += 1;
      await inTurn(
        async () => {
          waitingToRestart -= 1;
          await follower.restart();
          worked(await follower.position());
        },
        () => true,
      );
      if (problem !== null) throw problem;
    },
    close: async () => {
      isClosed = true;
      disarm();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const forget = clock.after(CLOSE_MAX_MS, resolve);
      await Promise.race([last, late]);
      forget();
    },
  };
}

/** `store_failed` would say that the log has stopped; here only the follower has. */
function problemOf(thrown: unknown): NomosError {
  const error = toNomosError(thrown);
  if (error.code !== "store_failed") return error;
  return new NomosError("follower_failed", error.details, { cause: thrown });
}
