import type { By } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import { type Decision, outlivesDaemon, type SessionState } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { TurnPort } from "../../turns/index.ts";
import { createTurnRun, type Turn } from "./run-turn.ts";
import { endBroken, isPassing, TRY_AGAIN_MS } from "./turn-end.ts";
import type { TurnRunnerDeps } from "./turn-runner-deps.ts";
import { createTurnStarts, type TurnStart } from "./turn-start.ts";
import type { StopReason } from "./turn-stop.ts";

/** Runs a session's queue, one turn after another. A session has at most one pump. */
export interface TurnRunner {
  /** Starts the pump, or makes the running one check the queue again. */
  readonly pump: (sessionId: string) => void;
  /** Like `pump`, but no turn of the session starts until `work` is done. */
  readonly pumpAfter: (sessionId: string, work: Promise<void>) => void;
  /** Records the admission of a turn. If nothing is ahead of it, the same append records its start. */
  readonly admit: (
    sessionId: string,
    turnId: string,
    admission: (state: SessionState) => Decision,
    by: By,
  ) => Promise<readonly RecordedEvent[]>;
  /** Aborts the running turn. Resolves when its end is recorded, at the latest after the grace. */
  readonly interrupt: (sessionId: string, why: StopReason) => Promise<void>;
  /** Ends a turn that waits for a usage limit, as if it had been interrupted while it ran; then the queue goes on. */
  readonly endParked: (sessionId: string) => Promise<void>;
  readonly isRunning: (sessionId: string) => boolean;
  /** The port of the running turn, for what its agent asks of the daemon beside its driver; null when none runs. */
  readonly portOf: (sessionId: string) => Promise<TurnPort> | null;
  /** Starts no new turn; running turns get the grace to end, then they are interrupted. */
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
      // A full disk or an unreachable database may recover, and admitted turns must run, so try again.
      if (isPassing(thrown)) deps.clock.after(TRY_AGAIN_MS, () => pump(sessionId));
      else void endBroken(deps, sessionId, toNomosError(thrown).code).then((isEnded) => isEnded && pump(sessionId));
    });
  };

  const admit: TurnRunner["admit"] = async (sessionId, turnId, admission, by) => {
    if (draining || pumps.has(sessionId)) {
      const { events } = await deps.committer.session(sessionId, admission, by);
      pump(sessionId);
      return events;
    }
    const admitted = Promise.withResolvers<readonly RecordedEvent[]>();
    begin(sessionId, (id) => {
      const { events, due } = starts.withAdmission(id, turnId, admission, by);
      admitted.resolve(events);
      return due;
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
      // No await since the last check of the queue: a later call starts a new pump.
      pumps.delete(sessionId);
    }
  };

  /** True when a turn ran, so there may be another. The turn can be interrupted even before its first event. */
  const oneTurn = async (sessionId: string, mine: Pump, start: TurnStart): Promise<boolean> => {
    const controller = new AbortController();
    const over = Promise.withResolvers<void>();
    const turn: Turn = { controller, over: over.promise, stopTimer: () => undefined, port: null, outside: new Map() };
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

  const interrupt: TurnRunner["interrupt"] = async (sessionId, why) => {
    const turn = pumps.get(sessionId)?.turn;
    if (turn == null) return;
    turn.controller.abort(why);
    await turn.over;
  };

  return {
    pump,
    pumpAfter: (sessionId, first) => begin(sessionId, (id) => first.then(() => nextStart(id))),
    admit,
    endParked: async (sessionId) => {
      if (pumps.has(sessionId)) return;
      begin(sessionId, starts.parked);
      await interrupt(sessionId, "interrupted");
    },
    isRunning: (sessionId) => pumps.get(sessionId)?.turn != null,
    portOf: (sessionId) => pumps.get(sessionId)?.turn?.port ?? null,
    interrupt,
    drain: async (graceMs) => {
      draining = true;
      // Later answers are for the next daemon: here they would continue a turn that nobody waits for.
      deps.waiters.stop();
      // A session that was forgotten or cannot be read does not wait for a person.
      const waitsForPerson = (sessionId: string) =>
        deps.committer.sessionState(sessionId).then(outlivesDaemon, () => false);
      const ends = [...pumps].map(async ([sessionId, entry]) => {
        const turn = entry.turn;
        if (turn === null) return;
        // The next daemon continues this turn; a timer left here would keep this process alive.
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
