import type { By, Committer } from "../commit/index.ts";
import { NomosError, toNomosError } from "../contract/index.ts";
import type { Clock } from "../host/index.ts";
import {
  type Answer,
  APPROVALS,
  answerApproval,
  endSession,
  hibernateSession,
  isEnded,
  labelSession,
  resumeSession,
  Session,
  startSession,
  suspendSession,
  titleSession,
} from "../kernel/index.ts";
import type { RecordedEvent } from "../store/index.ts";
import type { Kept } from "../turns/index.ts";
import type { ScopeJudge } from "./files/scope-judge.ts";
import type { SessionFiles } from "./files/session-files.ts";
import type { SessionTrees } from "./files/session-worktrees.ts";
import { createTurnChanges, type TurnChanges } from "./files/turn-changes.ts";
import { createEndings, createRelease, type Endings } from "./life/end-session.ts";
import { createExternalWatch } from "./life/external-watch.ts";
import { watchAwake } from "./life/idle-sessions.ts";
import { type LivingSessions, watchLiving } from "./life/living-sessions.ts";
import { createOpenings, type OpeningDeps, type Openings } from "./life/open-session.ts";
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
export interface Supervisor extends Reports, Openings, Prompting, Endings, TurnChanges, Forgetting {
  readonly suspend: (id: string, reason: string, by: By) => Events;
  readonly resume: (id: string, by: By) => Events;
  readonly hibernate: (id: string, reason: string, by: By) => Events;
  readonly label: (id: string, label: string | null, by: By) => Events;
  readonly rename: (id: string, title: string | null, by: By) => Events;
  /** Rewinds files and history together, or neither. */
  readonly rewind: (id: string, input: RewindInput, by: By) => Events;
  /** Takes a snapshot of the session's files; records nothing if they have not changed. */
  readonly snapshot: (id: string, by: By) => Events;
  readonly answer: (approvalId: string, answer: Answer, by: By) => Events;
  /** Deletes the data of events between turns; headers and chain stay. */
  readonly erase: (id: string, events: readonly string[], reason: string, by: By) => Events;
  /** Living sessions in a directory, in a parent or below. */
  readonly livingNear: LivingSessions["near"];
  readonly recover: () => Promise<{ readonly sessions: number; readonly interrupted: number }>;
  /** Ends turns within the grace and hibernates every session. Nothing runs afterwards. */
  readonly stop: (graceMs: number) => Promise<void>;
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
  const sleeper = startSleeper(deps, awake, release);
  const recoverOne = createRecovery({ ...deps, externals, rewinding });

  return {
    ...openings,
    ...createPrompting(deps),
    ...createEndings(deps, externals, release),
    suspend: async (id, reason, by) => {
      for (let tries = 1; ; tries += 1) {
        if ((await committer.sessionState(id)).phase.at === "busy") await runner.interrupt(id, "interrupted");
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
    erase: async (id, events, reason, by) => {
      await committer.sessionState(id);
      return committer.erase(Session, id, events, reason, by);
    },
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
      awake.stop();
      living.stop();
    },
  };
}
