import type { By } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import { type Decision, outlivesDaemon, type SessionState } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { createTurnRun, type Turn } from "./run-turn.ts";
import { isPassing, recordTurnEnd, TRY_AGAIN_MS } from "./turn-end.ts";
import type { TurnRunnerDeps } from "./turn-runner-deps.ts";
import { createTurnStarts, isStart, type TurnStart } from "./turn-start.ts";
import type { StopReason } from "./turn-stop.ts";

/** Runs a session's queue, one turn after another. One pump a session, however often it is called. */
export interface TurnRunner {
  /** There may be work: starts the pump, or tells the running one to look again. */
  readonly pump: (sessionId: string) => void;
  /** As above, once this is done. Until then no turn of the session starts. */
  readonly pumpAfter: (sessionId: string, work: Promise<void>) => void;
  /** Records that a turn is admitted. Where nothing stands before it, its start is in the same append. */
  readonly admit: (
    sessionId: string,
    turnId: string,
    admission: (state: SessionState) => Decision,
    by: By,
  ) => Promise<readonly RecordedEvent[]>;
  /** Aborts the running turn; resolves when it is recorded as ended, at the latest after the grace. */
  readonly interrupt: (sessionId: string, why: StopReason) => Promise<void>;
  readonly isRunning: (sessionId: string) => boolean;
  /** No new turn starts; running ones get the grace to end by themselves, then they are interrupted. */
  readonly drain: (graceMs: number) => Promise<void>;
}

interface Pump {
  again: boolean;
  turn: Turn | null;
  done: Promise<void>;
}

export function createTurnRunner(deps: TurnRunnerDeps): TurnRunner {
  const pumps = new Map<string, Pump>();
  let draining = false;
  const starts = createTurnStarts(deps);
  const runTurn = createTurnRun(deps, () => draining);
  const nextStart: TurnStart = (sessionId) => starts.next(sessionId, draining);

  const pump = (sessionId: string): void => {
    const running = pumps.get(sessionId);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    begin(sessionId, nextStart);
  };

  const begin = (sessionId: string, first: TurnStart): void => {
    const fresh: Pump = { again: false, turn: null, done: Promise.resolve() };
    pumps.set(sessionId, fresh);
    fresh.done = work(sessionId, fresh, first).catch((thrown: unknown) => {
      deps.log("a session's pump stopped", { sessionId, reason: String(thrown) });
      // A disk that is full now, or a database that is away, may not be so for ever; and what was admitted must run.
      if (isPassing(thrown)) deps.clock.after(TRY_AGAIN_MS, () => pump(sessionId));
      else void endBroken(sessionId, toNomosError(thrown).code);
    });
  };

  /** Whatever broke the pump: a turn that nobody runs any more has failed, and the session takes the next one. */
  const endBroken = async (sessionId: string, code: string): Promise<void> => {
    try {
      const { phase } = await deps.committer.sessionState(sessionId);
      if (phase.at !== "busy") return;
      const error = { code, message: "The turn could not be carried through; the daemon's log says why." };
      const ended = { outcome: { outcome: "failed", error }, files: [], reverted: null } as const;
      await recordTurnEnd(deps, sessionId, phase.turnId, ended);
      pump(sessionId);
    } catch (thrown) {
      deps.log("a failed turn could not be ended", { sessionId, reason: String(thrown) });
    }
  };

  const admit: TurnRunner["admit"] = async (sessionId, turnId, admission, by) => {
    if (draining || pumps.has(sessionId)) {
      const { events } = await deps.committer.session(sessionId, admission, by);
      pump(sessionId);
      return events;
    }
    const admitted = Promise.withResolvers<readonly RecordedEvent[]>();
    begin(sessionId, async (id) => {
      const recorded = starts.withAdmission(id, turnId, admission, by);
      admitted.resolve(recorded);
      return (await recorded.catch(() => [])).some(isStart) ? starts.recorded(id) : null;
    });
    return admitted.promise;
  };

  const work = async (sessionId: string, mine: Pump, first: TurnStart): Promise<void> => {
    try {
      await oneTurn(sessionId, mine, first);
      do {
        mine.again = false;
        while (await oneTurn(sessionId, mine, nextStart));
      } while (mine.again);
    } finally {
      // In the same breath as the last look: whoever calls after this starts a new pump.
      pumps.delete(sessionId);
    }
  };

  /** True when a turn was run, so that there may be another. It can be interrupted from before its first event on. */
  const oneTurn = async (sessionId: string, mine: Pump, start: TurnStart): Promise<boolean> => {
    const controller = new AbortController();
    const over = Promise.withResolvers<void>();
    const turn: Turn = { controller, over: over.promise, stopTimer: () => undefined };
    mine.turn = turn;
    try {
      const due = await start(sessionId);
      const run = due === null ? null : { ...due, controller };
      if (run !== null) await runTurn(run, turn);
      return run !== null;
    } finally {
      mine.turn = null;
      over.resolve();
    }
  };

  return {
    pump,
    pumpAfter: (sessionId, first) => begin(sessionId, (id) => first.then(() => nextStart(id))),
    admit,
    isRunning: (sessionId) => pumps.get(sessionId)?.turn != null,
    interrupt: async (sessionId, why) => {
      const turn = pumps.get(sessionId)?.turn;
      if (turn == null) return;
      turn.controller.abort(why);
      await turn.over;
    },
    drain: async (graceMs) => {
      draining = true;
      // An answer from now on is for the next daemon: here it would set a turn going that nobody waits for any more.
      deps.waiters.stop();
      // A session that was forgotten meanwhile, or cannot be read, waits for nobody.
      const waitsForPerson = (sessionId: string) =>
        deps.committer.sessionState(sessionId).then(outlivesDaemon, () => false);
      const ends = [...pumps].map(async ([sessionId, entry]) => {
        const turn = entry.turn;
        if (turn === null) return;
        // It goes on in the next daemon; of this one nothing of it may be left that keeps the process alive.
        if (await waitsForPerson(sessionId)) return turn.stopTimer();
        await Promise.race([turn.over, deps.clock.sleep(graceMs)]);
        if (await waitsForPerson(sessionId)) return turn.stopTimer();
        turn.controller.abort("stopping" satisfies StopReason);
        await turn.over;
      });
      await Promise.all(ends);
    },
  };
}
