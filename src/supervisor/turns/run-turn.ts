import { toNomosError } from "../../contract/index.ts";
import { pendingApprovals, type SessionState } from "../../kernel/index.ts";
import { DriverError, HandshakeError, type TurnPort } from "../../turns/index.ts";
import { NOTHING_JUDGED, unjudged } from "../files/scope-judge.ts";
import { recordTurnEnd } from "./turn-end.ts";
import { createTurnFiles } from "./turn-files.ts";
import { portFor } from "./turn-port-for.ts";
import type { TurnRunnerDeps } from "./turn-runner-deps.ts";
import type { Run } from "./turn-start.ts";
import { type Outcome, orLetGo, type StopReason, stopped } from "./turn-stop.ts";

/** A turn that runs or is about to: how to stop it, and a promise of its end. */
export interface Turn {
  readonly controller: AbortController;
  readonly over: Promise<void>;
  stopTimer: () => void;
}

/** Short: what still runs after the turn was asked to end before. */
const LAST_GRACE_MS = 200;
const ERROR_CHARS = 8000;

/** Runs one turn from its start until its end is recorded, whatever the driver does. */
export function createTurnRun(
  deps: TurnRunnerDeps,
  isDraining: () => boolean,
): (run: Run, turn: Turn) => Promise<void> {
  const turnFiles = createTurnFiles(deps);

  /** Ends the agent: one that lives on could write outside its scope after the turn was judged. */
  const letGo = async ({ state, driver }: Run): Promise<void> => {
    await driver.keeps
      ?.release(state.id)
      .catch((thrown: unknown) => deps.log("an agent could not be ended", { id: state.id, reason: String(thrown) }));
  };

  /** While a turn waits for a person its time limit starts again. */
  const limitTime = (run: Run, turn: Turn): void => {
    const timeUp = async (): Promise<void> => {
      const asks = pendingApprovals(await deps.committer.sessionState(run.state.id), run.turnId).length > 0;
      if (asks && !isDraining()) limitTime(run, turn);
      else run.controller.abort("timeout" satisfies StopReason);
    };
    const gone = (thrown: unknown) =>
      deps.log("a turn's time could not be looked at", { id: run.state.id, reason: String(thrown) });
    turn.stopTimer = deps.clock.after(deps.turnTimeoutMs(), () => void timeUp().catch(gone));
  };

  const drive = async (run: Run, port: Promise<TurnPort>): Promise<Outcome> => {
    try {
      await run.driver.runTurn?.(await port);
      return run.controller.signal.aborted
        ? stopped(run.controller.signal.reason)
        : { outcome: "completed", error: null };
    } catch (thrown) {
      if (run.controller.signal.aborted) return stopped(run.controller.signal.reason);
      const error = toNomosError(thrown);
      const message =
        thrown instanceof DriverError ? thrown.message : `${error.message} ${JSON.stringify(error.details)}`;
      // If the agent crashed, the outcome of the turn is unknown, as after a crash of the daemon.
      const outcome = error.code === "agent_crashed" ? "interrupted" : "failed";
      const isStillborn = thrown instanceof HandshakeError && isUntouched(run.state);
      const why = { code: error.code, message: message.slice(0, ERROR_CHARS) };
      return { outcome, error: why, ...(isStillborn ? { isStillborn } : {}) };
    }
  };

  return async (run, turn) => {
    const { state, turnId, controller } = run;
    limitTime(run, turn);
    const looked = turnFiles.atStart(run);
    // Made meanwhile, because it only reads the log.
    const port = portFor(deps, run);
    port.catch(() => undefined);
    await looked;
    const driven = deps.scopes.begin(state).then(
      () => drive(run, port),
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
}

/** Whether no turn has ended yet and the session is no fork. */
function isUntouched({ turnsEnded, forkedFrom }: SessionState): boolean {
  return turnsEnded === 0 && forkedFrom === null;
}
