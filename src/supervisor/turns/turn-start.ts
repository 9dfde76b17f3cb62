import type { By } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import {
  type Decision,
  type Fact,
  isEnded,
  isParked,
  outlivesDaemon,
  type SessionState,
  startIfFree,
  startNextTurn,
  startSession,
  wakeSession,
} from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { Driver } from "../../turns/index.ts";
import { createLookAhead } from "./turn-ahead.ts";
import type { TurnRunnerDeps } from "./turn-runner-deps.ts";

/** A turn whose start is recorded and that has not run yet. */
export interface Due {
  readonly state: SessionState;
  readonly driver: Driver;
  readonly turnId: string;
  readonly eventId: string;
  /** It was open when an earlier daemon stopped, and continues from what the log holds. */
  readonly isResumed: boolean;
  /** What was found in the files while the start was flushed; null: they were not looked at yet. */
  readonly looked: Promise<readonly Fact[]> | null;
}

/** A running turn. */
export interface Run extends Due {
  readonly controller: AbortController;
}

/** Records the start of a turn, if one is due. */
export type TurnStart = (sessionId: string) => Promise<Due | null>;

export interface TurnStarts {
  /** The next turn of the queue, or one that an earlier daemon left open; while draining only the latter. */
  readonly next: (sessionId: string, draining: boolean) => Promise<Due | null>;
  /** The turn that waits for a usage limit, to be ended; null when none does. */
  readonly parked: TurnStart;
  /** Admits a turn. If nothing is ahead of it, the same append records its start, and it is due. */
  readonly withAdmission: (
    sessionId: string,
    turnId: string,
    admission: (state: SessionState) => Decision,
    by: By,
  ) => { readonly events: Promise<readonly RecordedEvent[]>; readonly due: Promise<Due | null> };
}

export function createTurnStarts(
  deps: Pick<TurnRunnerDeps, "committer" | "clock" | "driver" | "frames" | "sessionFiles" | "log">,
): TurnStarts {
  const { committer } = deps;
  const lookAhead = createLookAhead(deps);

  /** A driver that was removed from the configuration fails its turns with an error; otherwise they would wait for ever. */
  const driverOf = (slug: string): Driver => {
    try {
      return deps.driver(slug);
    } catch (thrown) {
      const runTurn = () => Promise.reject(thrown);
      return { slug, summary: "", continuity: "digest", check: async () => undefined, runTurn };
    }
  };

  /** Starts or wakes the session if needed, then its next turn; false when none waits. */
  const startNext = async (sessionId: string, driver: Driver): Promise<boolean> => {
    const by = { actor: "daemon" };
    const now = await committer.sessionState(sessionId);
    if (now.phase.at === "starting") await committer.session(sessionId, (state) => startSession(state, "fresh"), by);
    if (now.phase.at === "hibernated" && now.queue.length > 0)
      await committer.session(sessionId, (state) => wakeSession(state, driver.continuity), by);
    return (await committer.session(sessionId, startNextTurn, by)).events.length > 0;
  };

  /** The turn whose start is recorded; null when it is over. */
  const recorded = async (sessionId: string, looked: Due["looked"]): Promise<Due | null> => {
    const state = await committer.sessionState(sessionId);
    if (state.spec === null || state.phase.at !== "busy") return null;
    const { turnId, eventId } = state.phase;
    return { state, driver: driverOf(state.spec.adapter), turnId, eventId, isResumed: false, looked };
  };

  /** The open turn, as an earlier run left it. */
  const resumed = (state: SessionState): Due | null => {
    if (state.spec === null || state.phase.at !== "busy") return null;
    const { turnId, eventId } = state.phase;
    return { state, driver: driverOf(state.spec.adapter), turnId, eventId, isResumed: true, looked: null };
  };

  return {
    withAdmission: (sessionId, turnId, admission, by) => {
      // A decision that is made again, because somebody else wrote first, looks again.
      let looked: Due["looked"] = null;
      const decide = (state: SessionState): Decision => {
        const decision = startIfFree(state, admission(state), turnId);
        if (!("refused" in decision) && decision.some(isStart)) looked = lookAhead(state, turnId);
        return decision;
      };
      const events = committer.session(sessionId, decide, by).then((committed) => committed.events);
      const due = events.then(
        (all) => (all.some(isStart) ? recorded(sessionId, looked) : null),
        () => null,
      );
      return { events, due };
    },
    parked: async (sessionId) => {
      const state = await committer.sessionState(sessionId).catch(nullIfGone);
      return state !== null && isParked(state) ? resumed(state) : null;
    },
    next: async (sessionId, draining) => {
      const state = await committer.sessionState(sessionId).catch(nullIfGone);
      if (state === null || state.spec === null || isEnded(state)) return null;
      const driver = driverOf(state.spec.adapter);
      if (driver.runTurn === null) return null;
      if (isParked(state)) return null;
      if (draining && driver.continues === true) return null;
      if (state.phase.at === "busy" && (driver.continues === true || outlivesDaemon(state))) return resumed(state);
      return !draining && (await startNext(sessionId, driver)) ? recorded(sessionId, null) : null;
    },
  };
}

function isStart({ type }: Pick<RecordedEvent, "type">): boolean {
  return type === "turn.started@1";
}

/** A missing or forgotten session has no turn to run. */
function nullIfGone(thrown: unknown): null {
  if (toNomosError(thrown).code === "session_not_found") return null;
  throw thrown;
}
