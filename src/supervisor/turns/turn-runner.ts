import type { By } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import { type Decision, outlivesDaemon, pendingApprovals, type SessionState } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { DriverError, HandshakeError } from "../../turns/index.ts";
import { NOTHING_JUDGED, unjudged } from "../files/scope-judge.ts";
import { isPassing, recordTurnEnd, TRY_AGAIN_MS } from "./turn-end.ts";
import { createTurnFiles } from "./turn-files.ts";
import { portFor } from "./turn-port-for.ts";
import type { Run, TurnRunnerDeps } from "./turn-runner-deps.ts";
import { createTurnStarts, isStart, type TurnStart } from "./turn-start.ts";
import { type Outcome, orLetGo, type StopReason, stopped } from "./turn-stop.ts";

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

interface Turn {
  readonly controller: AbortController;
  readonly over: Promise<void>;
  stopTimer: () => void;
}

/** What is still there when the turn is over was asked to end long ago. */
const LAST_GRACE_MS = 200;

export function createTurnRunner(deps: TurnRunnerDeps): TurnRunner {
  const pumps = new Map<string, Pump>();
  let draining = false;
  const starts = createTurnStarts(deps);
  const turnFiles = createTurnFiles(deps);
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
      const error = { code, message: "The turn failed; run `nomos daemon logs` to see why." };
      await recordTurnEnd(deps, sessionId, phase.turnId, {
        outcome: { outcome: "failed", error },
        files: [],
        reverted: null,
      });
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
      if (run !== null) await runOne(run, turn);
      return run !== null;
    } finally {
      mine.turn = null;
      over.resolve();
    }
  };

  const runOne = async (run: Run, turn: Turn): Promise<void> => {
    const { state, turnId, controller } = run;
    limitTime(run, turn);
    await turnFiles.atStart(run);
    const driven = deps.scopes.begin(state).then(
      () => drive(run),
      (thrown: unknown): Outcome => ({ outcome: "failed", error: unjudged(thrown) }),
    );
    const outcome = await orLetGo(driven, controller.signal, deps.clock);
    turn.stopTimer();
    await deps.processes
      .stopAll(state.id, controller.signal.aborted ? LAST_GRACE_MS : undefined)
      .catch((thrown: unknown) =>
        deps.log("a process of a turn could not be ended", { id: state.id, reason: String(thrown) }),
      );
    if (state.spec?.scope != null) await letGo(run);
    const judged = await deps.scopes.end(state).catch((thrown: unknown) => ({ error: unjudged(thrown) }));
    const { reverted, before, settled } = "error" in judged ? NOTHING_JUDGED : judged;
    const ended: Outcome = "error" in judged ? { outcome: "failed", ...judged } : outcome;
    const files = await turnFiles.atEnd(run, before);
    await recordTurnEnd(deps, state.id, turnId, { outcome: ended, files, reverted });
    await settled().catch((thrown: unknown) =>
      deps.log("the mark of a scope could not be removed", { id: state.id, reason: String(thrown) }),
    );
  };

  /** An agent that lives on between turns could write outside of its scope after it was judged. */
  const letGo = async ({ state, driver }: Run): Promise<void> => {
    await driver.keeps
      ?.release(state.id)
      .catch((thrown: unknown) => deps.log("an agent could not be ended", { id: state.id, reason: String(thrown) }));
  };

  /** A turn that waits for a person is not the one who takes so long: it gets its time anew. */
  const limitTime = (run: Run, turn: Turn): void => {
    const timeUp = async (): Promise<void> => {
      const asks = pendingApprovals(await deps.committer.sessionState(run.state.id), run.turnId).length > 0;
      if (asks && !draining) limitTime(run, turn);
      else run.controller.abort("timeout" satisfies StopReason);
    };
    const gone = (thrown: unknown) =>
      deps.log("the time limit of a turn could not be checked", { id: run.state.id, reason: String(thrown) });
    turn.stopTimer = deps.clock.after(deps.turnTimeoutMs(), () => void timeUp().catch(gone));
  };

  const drive = async (run: Run): Promise<Outcome> => {
    try {
      await run.driver.runTurn?.(await portFor(deps, run));
      return run.controller.signal.aborted
        ? stopped(run.controller.signal.reason)
        : { outcome: "completed", error: null };
    } catch (thrown) {
      if (run.controller.signal.aborted) return stopped(run.controller.signal.reason);
      const error = toNomosError(thrown);
      const message =
        thrown instanceof DriverError ? thrown.message : `${error.message} ${JSON.stringify(error.details)}`;
      // A turn that its agent's death cut was not judged by anybody: like one that ours cut.
      const outcome = error.code === "agent_crashed" ? "interrupted" : "failed";
      const isStillborn = thrown instanceof HandshakeError && isUntouched(run.state);
      const why = { code: error.code, message: message.slice(0, ERROR_CHARS) };
      return { outcome, error: why, ...(isStillborn ? { isStillborn } : {}) };
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

const ERROR_CHARS = 8000;

/** No turn of it has ended, and nobody else's past is its own. */
function isUntouched({ turnsEnded, forkedFrom }: SessionState): boolean {
  return turnsEnded === 0 && forkedFrom === null;
}
