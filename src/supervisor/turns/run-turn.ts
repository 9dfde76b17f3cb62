import { toNomosError } from "../../contract/index.ts";
import { continueTurn, cutTooOften, isParked, pendingApprovals, type SessionState } from "../../kernel/index.ts";
import { CutError, DriverError, HandshakeError, QuotaError, type TurnPort } from "../../turns/index.ts";
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
  /** The port of the run that is under way; null before the first one. */
  port: Promise<TurnPort> | null;
  /** Changes that the scope refused, each with its diff. */
  readonly outside: Map<string, string>;
}

/** Short: what still runs after the turn was asked to end before. */
const LAST_GRACE_MS = 200;
const ERROR_CHARS = 8000;
const REASON_CHARS = 500;

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
    // A parked turn is ended without a driver.
    if (run.isResumed && run.controller.signal.aborted) return stopped(run.controller.signal.reason);
    try {
      await run.driver.runTurn?.(await port);
      return run.controller.signal.aborted
        ? stopped(run.controller.signal.reason)
        : { outcome: "completed", error: null };
    } catch (thrown) {
      if (run.controller.signal.aborted) return stopped(run.controller.signal.reason);
      return failedWith(thrown, run);
    }
  };

  /** A port, and how to end it: a call of a cut run that waits for a person must not act beside the next run. */
  const openPort = (run: Run, turn: Turn): OpenPort => {
    const cut = new AbortController();
    const port = portFor(deps, run, cut.signal, turn.outside);
    port.catch(() => undefined);
    turn.port = port;
    return { port, cut: () => cut.abort(new Error("this run of the turn was cut")) };
  };

  /** A cut turn goes on from the log, with a new port, until its driver has ended it. */
  const driveOn = async (run: Run, turn: Turn, { port, cut }: OpenPort): Promise<Outcome> => {
    const outcome = await drive(run, port);
    const { id } = run.state;
    if (outcome.isCut !== true || run.controller.signal.aborted) return outcome;
    const reason = (outcome.error?.message ?? "").slice(0, REASON_CHARS);
    try {
      if (isDraining()) return outcome;
      const error = cutTooOften(await deps.committer.sessionState(id), "driver");
      if (error !== null) return { outcome: "interrupted", error };
      // Before its commands are ended: how they would have ended is unknown.
      await deps.committer.session(id, (now) => continueTurn(now, reason), { actor: "daemon" });
    } finally {
      cut();
    }
    deps.log("a turn was cut and goes on", { id, reason });
    await deps.processes.stopAll(id, LAST_GRACE_MS);
    const state = await deps.committer.sessionState(id);
    if (state.phase.at !== "busy" || state.phase.turnId !== run.turnId || isParked(state)) return outcome;
    const again = { ...run, state, isResumed: true };
    return driveOn(again, turn, openPort(again, turn));
  };

  /** A parked turn waits for its alarm, and one that a stop of the daemon cut for the next daemon. */
  const staysOpen = async ({ state, turnId, driver, controller }: Run, { isCut }: Outcome): Promise<boolean> => {
    if (driver.continues !== true) return false;
    const now = await deps.committer.sessionState(state.id).catch(() => null);
    if (now?.phase.at !== "busy" || now.phase.turnId !== turnId) return false;
    if (controller.signal.aborted) return controller.signal.reason === ("stopping" satisfies StopReason);
    return isParked(now) || (isCut === true && isDraining());
  };

  return async (run, turn) => {
    const { state, turnId, controller } = run;
    limitTime(run, turn);
    const looked = turnFiles.atStart(run);
    // Made meanwhile, because it only reads the log.
    const port = openPort(run, turn);
    await looked;
    const driven = deps.scopes.begin(state).then(
      () => driveOn(run, turn, port),
      (thrown: unknown): Outcome => ({ outcome: "failed", error: unjudged(thrown) }),
    );
    const outcome = await orLetGo(driven, controller.signal, deps.clock);
    turn.stopTimer();
    await deps.processes
      .stopAll(state.id, controller.signal.aborted ? LAST_GRACE_MS : undefined)
      .catch((thrown: unknown) =>
        deps.log("a process of a turn could not be ended", { id: state.id, reason: String(thrown) }),
      );
    if (await staysOpen(run, outcome)) return;
    if (state.spec?.scope != null) await letGo(run);
    const judged = await deps.scopes.end(state).catch((thrown: unknown) => ({ error: unjudged(thrown) }));
    const { reverted, diff, before, settled } = "error" in judged ? NOTHING_JUDGED : judged;
    const ended: Outcome = "error" in judged ? { outcome: "failed", ...judged } : outcome;
    const files = await turnFiles.atEnd(run, before);
    await recordTurnEnd(deps, state.id, turnId, {
      outcome: ended,
      files,
      reverted,
      diff,
      outside: turn.outside,
      settles: run.driver.continues === true,
    });
    await settled().catch((thrown: unknown) =>
      deps.log("the mark of a scope could not be removed", { id: state.id, reason: String(thrown) }),
    );
  };
}

interface OpenPort {
  readonly port: Promise<TurnPort>;
  readonly cut: () => void;
}

/** How a turn ends whose driver threw. */
function failedWith(thrown: unknown, { state, driver }: Run): Outcome {
  const error = toNomosError(thrown);
  const message = thrown instanceof DriverError ? thrown.message : `${error.message} ${JSON.stringify(error.details)}`;
  const why = { code: error.code, message: message.slice(0, ERROR_CHARS) };
  if (thrown instanceof QuotaError) {
    const limit = { untilMs: thrown.untilMs, reason: message.slice(0, REASON_CHARS) };
    return { outcome: "interrupted", error: why, limit };
  }
  // If the agent crashed, the outcome of the turn is unknown, as after a crash of the daemon.
  const outcome = error.code === "agent_crashed" ? "interrupted" : "failed";
  const isStillborn = thrown instanceof HandshakeError && isUntouched(state);
  const isCut = thrown instanceof CutError && driver.continues === true;
  return { outcome, error: why, ...(isStillborn ? { isStillborn } : {}), ...(isCut ? { isCut } : {}) };
}

/** Whether no turn has ended yet and the session is no fork. */
function isUntouched({ turnsEnded, forkedFrom }: SessionState): boolean {
  return turnsEnded === 0 && forkedFrom === null;
}
