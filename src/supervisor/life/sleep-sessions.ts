import type { By, Committer } from "../../commit/index.ts";
import type { Clock } from "../../host/index.ts";
import { hibernateSession, type SessionState } from "../../kernel/index.ts";
import type { Awake } from "./idle-sessions.ts";
import { keepDoing } from "./repeat.ts";

export interface Sleeper {
  /** Hibernates every idle session. */
  readonly sleepAll: () => Promise<void>;
  readonly stop: () => void;
}

export interface SleeperDeps {
  readonly committer: Pick<Committer, "session">;
  readonly clock: Clock;
  readonly idleHibernateMs: () => number;
  readonly log: (message: string, details: object) => void;
}

const DAEMON: By = { actor: "daemon" };
const LOOK_EVERY_MS = 5000;

/** Hibernates sessions that have been idle for `idleHibernateMs`. */
export function startSleeper(
  { committer, clock, idleHibernateMs, log }: SleeperDeps,
  awake: Awake,
  release: (id: string) => Promise<void>,
): Sleeper {
  const asleep = (state: SessionState) =>
    state.phase.at === "idle" && state.queue.length === 0 ? hibernateSession(state, "idle") : [];
  const fallAsleep = async (id: string): Promise<void> => {
    if ((await committer.session(id, asleep, DAEMON)).events.length > 0) await release(id);
  };
  const sleep = (id: string): Promise<void> =>
    fallAsleep(id).catch((thrown: unknown) => log("a session could not hibernate", { id, reason: String(thrown) }));
  const stop = keepDoing(clock, LOOK_EVERY_MS, async () => {
    for (const id of awake.idleLongerThan(idleHibernateMs())) await sleep(id);
  });
  return {
    sleepAll: async () => {
      await Promise.all(awake.all().map(sleep));
    },
    stop,
  };
}
