import type { By, Committer } from "../commit/index.ts";
import { NomosError, toNomosError } from "../contract/index.ts";
import type { Clock } from "../host/index.ts";
import {
  type Answer,
  APPROVALS,
  answerApproval,
  configureDriver,
  type Decision,
  type DriverSettings,
  endSession,
  hibernateSession,
  idIn,
  isEnded,
  isParked,
  labelSession,
  resumeSession,
  Session,
  type SessionState,
  startSession,
  suspendSession,
  switchDriver,
  titleSession,
  together,
} from "../kernel/index.ts";
import type { RecordedEvent, Store } from "../store/index.ts";
import type { Kept, TurnPort } from "../turns/index.ts";
import type { ScopeJudge } from "./files/scope-judge.ts";
import type { SessionFiles } from "./files/session-files.ts";
import type { SessionTrees } from "./files/session-worktrees.ts";
import { createTurnChanges, type TurnChanges } from "./files/turn-changes.ts";
import { createEndings, createRelease, type Endings } from "./life/end-session.ts";
import { createExternalWatch } from "./life/external-watch.ts";
import { watchAwake } from "./life/idle-sessions.ts";
import { type LivingSessions, watchLiving } from "./life/living-sessions.ts";
import { createOpenings, type OpeningDeps, type Openings } from "./life/open-session.ts";
import { createLabelling, type Labelling } from "./life/point-labels.ts";
import { createRecovery } from "./life/recover-session.ts";
import { recoverAll } from "./life/recover-sessions.ts";
import { createReports, type Reports } from "./life/reports.ts";
import { createRewinding, type RewindInput } from "./life/rewind-session.ts";
import { startSleeper } from "./life/sleep-sessions.ts";
import type { SessionProcesses } from "./processes/session-processes.ts";
import { createForgetting, type Forgetting } from "./retention/forget-ended.ts";
import { createPrompting, type Prompting } from "./turns/prompt-session.ts";
import type { TurnRunner } from "./turns/turn-runner.ts";

type Events = Promise<readonly RecordedEvent[]>;

/**
 * Starts, prompts, interrupts, hibernates, forks, rewinds, ends and recovers sessions. Methods return the recorded events.
 */
export interface Supervisor extends Reports, Openings, Prompting, Endings, TurnChanges, Forgetting, Labelling {
  readonly suspend: (id: string, reason: string, by: By) => Events;
  readonly resume: (id: string, by: By) => Events;
  readonly hibernate: (id: string, reason: string, by: By) => Events;
  readonly label: (id: string, label: string | null, by: By) => Events;
  /** Gives the session to another driver and agent; the next turn is theirs. */
  readonly switchTo: (id: string, to: SwitchInput, by: By) => Events;
  readonly rename: (id: string, title: string | null, by: By) => Events;
  /** Rewinds files and history together, or neither. */
  readonly rewind: (id: string, input: RewindInput, by: By) => Events;
  /** Takes a snapshot of the session's files; records nothing if they have not changed. */
  readonly snapshot: (id: string, by: By) => Events;
  readonly answer: (approvalId: string, answer: Answer, by: By) => Events;
  /** Deletes the data of events between turns; headers and chain stay. */
  readonly erase: (id: string, events: readonly string[], reason: string, by: By) => Events;
  /** The port of the session's running turn; null when none runs. */
  readonly portOf: (id: string) => Promise<TurnPort> | null;
  /** Living sessions in a directory, in a parent or below. */
  readonly livingNear: LivingSessions["near"];
  readonly recover: () => Promise<{ readonly sessions: number; readonly interrupted: number }>;
  /** Ends turns within the grace and hibernates every session. Nothing runs afterwards. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export interface SwitchInput {
  readonly adapter: string;
  readonly agent: string;
  /** Settings of the new agent; those of the old one are its own. */
  readonly settings?: Partial<DriverSettings> | undefined;
}

export interface SupervisorDeps extends Omit<OpeningDeps, "trees"> {
  readonly trees: Pick<SessionTrees, "make" | "makeFork" | "drop" | "list" | "settle" | "sweep">;
  readonly runner: TurnRunner;
  readonly processes: SessionProcesses;
  readonly clock: Clock;
  readonly sessionFiles: SessionFiles;
  readonly scopes: Pick<ScopeJudge, "end">;
  /** What a driver keeps between turns; null if it keeps nothing or is not installed. */
  readonly keeper: (adapter: string) => Kept | null;
  readonly idleHibernateMs: () => number;
  /** When the previous daemon ended; null when unknown. */
  readonly diedAtMs: number | null;
  readonly log: (message: string, details: object) => void;
}

const DAEMON: By = { actor: "daemon" };
const SUSPEND_TRIES = 5;

export function createSupervisor(deps: SupervisorDeps): Supervisor {
  const { store, committer, runner, processes, clock } = deps;
  const awake = watchAwake(store, clock);
  const living = watchLiving(store);
  const externals = createExternalWatch(clock, (id) => {
    endExternal(id).catch((thrown: unknown) =>
      deps.log("an external session could not be ended", { id, reason: String(thrown) }),
    );
  });
  const release = createRelease(deps);
  const reports = createReports({ ...deps, onFinish: (id) => externals.remove(id) });

  const change = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events =>
    (await committer.session(id, decide, by)).events;
  const changeAndPump = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events => {
    const events = await change(id, decide, by);
    runner.pump(id);
    return events;
  };
  const changeAndRelease = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events => {
    const events = await change(id, decide, by);
    await release(id);
    return events;
  };
  const endExternal = async (id: string): Promise<void> => {
    await change(id, (state) => (isEnded(state) ? [] : endSession(state, { kind: "exited", exitCode: null })), DAEMON);
  };

  const openings = createOpenings({
    ...deps,
    onExternal: async (id, process) => {
      externals.add(id, process);
      await change(id, (state) => startSession(state, "fresh"), DAEMON);
    },
  });
  const rewinding = createRewinding({
    ...deps,
    actsByEffects: (adapter) => deps.specs.driver(adapter).actsByEffects === true,
    quiet: async (id) => {
      await processes.stopAll(id);
      await release(id);
    },
  });
  const stopWaking = wakeAtReset(store, runner.pump);
  const sleeper = startSleeper(deps, awake, release);
  const recoverOne = createRecovery({
    ...deps,
    externals,
    rewinding,
    continues: (adapter) => continues(deps.specs, adapter),
  });

  return {
    ...openings,
    ...createPrompting(deps),
    ...createEndings(deps, externals, release),
    suspend: async (id, reason, by) => {
      for (let tries = 1; ; tries += 1) {
        const now = await committer.sessionState(id);
        if (isParked(now)) await runner.endParked(id);
        else if (now.phase.at === "busy") await runner.interrupt(id, "interrupted");
        try {
          return await changeAndRelease(id, (state) => suspendSession(state, reason), by);
        } catch (thrown) {
          // An admitted turn may have started between the read and the append.
          if (toNomosError(thrown).code !== "session_busy" || tries === SUSPEND_TRIES) throw thrown;
        }
      }
    },
    resume: (id, by) => changeAndPump(id, resumeSession, by),
    hibernate: (id, reason, by) => changeAndRelease(id, (state) => hibernateSession(state, reason), by),
    label: (id, label, by) => change(id, (state) => labelSession(state, label), by),
    switchTo: async (id, { settings = {}, ...to }, by) => {
      const { spec } = await committer.sessionState(id);
      const driver = deps.specs.driver(to.adapter);
      if (driver.runTurn === null || spec === null || spec.external !== null)
        throw new NomosError("not_promptable", { id });
      driver.checkSettings?.(settings);
      await driver.check({ ...spec, ...to });
      await release(id);
      return change(id, (state) => switched(state, to, settings), by);
    },
    rename: (id, title, by) => change(id, (state) => titleSession(state, title), by),
    rewind: async (id, input, by) => {
      const events = await rewinding.rewind(id, input, by);
      runner.pump(id);
      return events;
    },
    snapshot: rewinding.snapshot,
    answer: async (approvalId, answer, by) => {
      const row = await store.row(APPROVALS, approvalId);
      if (row === null) throw new NomosError("approval_not_found", { approvalId });
      return change(row.sessionId, (state) => answerApproval(state, approvalId, answer), by);
    },
    ...reports,
    ...createTurnChanges(deps),
    ...createForgetting(deps),
    ...createLabelling(deps),
    erase: async (id, events, reason, by) => {
      await committer.sessionState(id);
      return committer.erase(Session, id, events, reason, by);
    },
    portOf: runner.portOf,
    livingNear: living.near,
    recover: async () => {
      await deps.trees.sweep();
      return recoverAll(store, recoverOne);
    },
    stop: async (graceMs) => {
      sleeper.stop();
      externals.stop();
      await runner.drain(graceMs);
      await sleeper.sleepAll();
      stopWaking();
      awake.stop();
      living.stop();
    },
  };
}

/** A new agent starts from no settings: the old one's modes and models are not its own. */
function switched(
  state: SessionState,
  to: { readonly adapter: string; readonly agent: string },
  settings: Partial<DriverSettings>,
): Decision {
  const decided = switchDriver(state, to);
  if ("refused" in decided || Object.keys(settings).length === 0) return decided;
  const { driver: _old, ...fresh } = state;
  return together(decided, configureDriver(decided.length === 0 ? state : fresh, settings));
}

/** A usage limit that has reset: the parked turn goes on, or the turn that was admitted for it runs. */
function wakeAtReset(store: Pick<Store, "onAppend">, pump: (sessionId: string) => void): () => void {
  return store.onAppend((events) => {
    for (const { type, stream } of events) {
      const id = type === "quota.reset@1" ? idIn(Session, stream) : null;
      if (id !== null) pump(id);
    }
  });
}

/** A driver that is not installed any more continues nothing. */
function continues(specs: OpeningDeps["specs"], adapter: string): boolean {
  try {
    return specs.driver(adapter).continues === true;
  } catch (thrown) {
    if (toNomosError(thrown).code === "not_installed") return false;
    throw thrown;
  }
}
