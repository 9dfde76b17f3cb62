import type { By, Committer } from "../commit/index.ts";
import { NomosError, toNomosError } from "../contract/index.ts";
import type { Clock, ProcessIdentity } from "../host/index.ts";
import {
  type Answer,
  APPROVALS,
  admitTurnWith,
  answerApproval,
  askInTurn,
  configureDriver,
  type DriverSettings,
  endSession,
  forgetSession,
  hibernateSession,
  isEnded,
  labelSession,
  recoverSession,
  requestInterrupt,
  resumeSession,
  SESSIONS,
  Session,
  type SessionRow,
  type SessionState,
  startSession,
  suspendSession,
} from "../kernel/index.ts";
import type { RecordedEvent } from "../store/index.ts";
import type { Kept } from "../turns/index.ts";
import type { ScopeJudge } from "./files/scope-judge.ts";
import type { SessionFiles } from "./files/session-files.ts";
import type { NO_TREES, SessionTrees } from "./files/session-worktrees.ts";
import { createTurnChanges, type TurnChanges } from "./files/turn-changes.ts";
import { createExternalWatch } from "./life/external-watch.ts";
import { watchAwake } from "./life/idle-sessions.ts";
import { type LivingSessions, watchLiving } from "./life/living-sessions.ts";
import { createOpenings, type OpeningDeps, type Openings } from "./life/open-session.ts";
import { recoverAll } from "./life/recover-sessions.ts";
import { keepDoing } from "./life/repeat.ts";
import { createReports, type Reports } from "./life/reports.ts";
import { createRewinding, type RewindInput } from "./life/rewind-session.ts";
import type { SessionProcesses } from "./processes/session-processes.ts";
import { type GivenPrompt, isKept, keepPrompt } from "./turns/given-prompt.ts";
import { interruptedIn, settleTurn } from "./turns/interrupt-turn.ts";
import { refuseUnoffered } from "./turns/offered-settings.ts";
import type { TurnRunner } from "./turns/turn-runner.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** Sessions as processes: start, prompt, interrupt, sleep, fork, rewind, end, recover. What it returns is what was recorded. */
export interface Supervisor extends Reports, Openings, TurnChanges {
  readonly prompt: (
    id: string,
    input: GivenPrompt & { readonly queue: boolean; readonly interrupt: boolean },
    by: By,
  ) => Events;
  /** A question to a person, put by the session in its running turn. */
  readonly ask: (id: string, question: string, options: readonly string[], by: By) => Events;
  /** What the session's agent is to be set to from its next turn on. */
  readonly configure: (id: string, settings: Partial<DriverSettings>, by: By) => Events;
  readonly interrupt: (id: string, by: By) => Events;
  /** Ends that turn if it still runs, and resolves when it is over. */
  readonly settled: (id: string, turnId: string) => Promise<void>;
  readonly suspend: (id: string, reason: string, by: By) => Events;
  readonly resume: (id: string, by: By) => Events;
  readonly hibernate: (id: string, reason: string, by: By) => Events;
  readonly kill: (id: string, reason: string, by: By) => Events;
  readonly forget: (id: string, by: By) => Events;
  readonly gone: (id: string) => Promise<void>;
  readonly label: (id: string, label: string | null, by: By) => Events;
  /** Files and talk, or neither. */
  readonly rewind: (id: string, input: RewindInput, by: By) => Events;
  /** Keeps the session's files as they are now; nothing when they are as they were last kept. */
  readonly snapshot: (id: string, by: By) => Events;
  readonly answer: (approvalId: string, answer: Answer, by: By) => Events;
  /** Deletes the data of a session's events for good, between its turns; headers and chain stay. */
  /** Erases the data of a session's events, between its turns. */
  readonly erase: (id: string, events: readonly string[], reason: string, by: By) => Events;
  /** The living sessions in a directory, around it or below. */
  readonly livingNear: LivingSessions["near"];
  readonly recover: () => Promise<{ readonly sessions: number; readonly interrupted: number }>;
  /** Ends turns within the grace and puts every session to sleep: after this nothing is under way. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export interface SupervisorDeps extends Omit<OpeningDeps, "trees"> {
  readonly trees: SessionTrees | typeof NO_TREES;
  readonly runner: TurnRunner;
  readonly processes: SessionProcesses;
  readonly clock: Clock;
  readonly sessionFiles: SessionFiles;
  /** What a driver keeps between turns; null for one that keeps nothing, or is not there any more. */
  readonly scopes: Pick<ScopeJudge, "end">;
  readonly keeper: (adapter: string) => Kept | null;
  readonly idleHibernateMs: () => number;
  /** When the daemon before this one ended; null when nobody knows. */
  readonly diedAtMs: number | null;
  readonly log: (message: string, details: object) => void;
}

const DAEMON: By = { actor: "daemon" };
const SLEEP_LOOK_EVERY_MS = 5000;
const SUSPEND_TRIES = 5;

export function createSupervisor(deps: SupervisorDeps): Supervisor {
  const { store, committer, runner, processes, clock, newId } = deps;
  const awake = watchAwake(store, clock);
  const living = watchLiving(store);
  const externals = createExternalWatch(clock, (id) => {
    endExternal(id).catch((thrown: unknown) =>
      deps.log("an external session could not be ended", { id, reason: String(thrown) }),
    );
  });

  const reports = createReports({ ...deps, onFinish: (id) => externals.remove(id) });

  const change = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events =>
    (await committer.session(id, decide, by)).events;
  const changeAndPump = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events => {
    const events = await change(id, decide, by);
    runner.pump(id);
    return events;
  };
  const openings = createOpenings({
    ...deps,
    onExternal: async (id, process) => {
      externals.add(id, process);
      await change(id, (state) => startSession(state, "fresh"), DAEMON);
    },
  });

  const requirePromptable = ({ id, spec }: SessionState): void => {
    if (deps.specs.driver(spec?.adapter ?? "").runTurn === null) throw new NomosError("not_promptable", { id });
  };

  /** A turn that runs somewhere else can only be ended there; an idle session has nothing to end. */
  const isReported = ({ spec, phase }: SessionState) => phase.at === "busy" && spec?.external != null;

  const endExternal = async (id: string): Promise<void> => {
    await change(id, (state) => (isEnded(state) ? [] : endSession(state, { kind: "exited", exitCode: null })), DAEMON);
  };

  /** The record comes first: whatever still runs finds its session ended, and dies with us if we die here. */
  const end = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events => {
    const events = await change(id, decide, by);
    externals.remove(id);
    return events;
  };

  const gone = async (id: string): Promise<void> => {
    const stopping = runner.interrupt(id, "ended");
    await processes.stopAll(id);
    await stopping;
    await processes.stopAll(id);
    await release(id);
    await deps.trees.settle(id);
  };

  /** What its driver keeps for it between turns goes; the next turn finds its way back from the log. */
  const release = async (id: string): Promise<void> => {
    const row = await store.row(SESSIONS, id);
    if (row !== null) await deps.keeper(row.adapter)?.release(id);
  };
  const changeAndRelease = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events => {
    const events = await change(id, decide, by);
    await release(id);
    return events;
  };

  const rewinding = createRewinding({
    ...deps,
    actsByEffects: (adapter) => deps.specs.driver(adapter).actsByEffects === true,
    quiet: async (id) => {
      await processes.stopAll(id);
      await release(id);
    },
  });

  const stopSleeper = keepDoing(clock, SLEEP_LOOK_EVERY_MS, async () => {
    for (const id of awake.idleLongerThan(deps.idleHibernateMs())) await sleep(id);
  });
  const sleep = async (id: string): Promise<void> => {
    const asleep = (state: SessionState) =>
      state.phase.at === "idle" && state.queue.length === 0 ? hibernateSession(state, "idle") : [];
    const fallAsleep = async (): Promise<void> => {
      if ((await change(id, asleep, DAEMON)).length > 0) await release(id);
    };
    await fallAsleep().catch((thrown: unknown) =>
      deps.log("a session could not hibernate", { id, reason: String(thrown) }),
    );
  };

  return {
    ...openings,
    prompt: async (id, input, by) => {
      // A small prompt needs no look before the one that it is admitted by.
      if (input.interrupt || isKept(input)) requirePromptable(await committer.sessionState(id));
      const cut = input.interrupt ? interruptedIn(await change(id, requestInterrupt, { ...by, call: null })) : null;
      if (cut !== null) await settleTurn(deps, id, cut);
      const { prompt, items } = await keepPrompt(committer.keeper(id, "start"), input);
      const turn = { turnId: newId(), prompt, queue: input.queue || input.interrupt };
      const admission = (now: SessionState) => {
        requirePromptable(now);
        return admitTurnWith(now, turn, items);
      };
      return runner.admit(id, turn.turnId, admission, by);
    },
    interrupt: (id, by) =>
      change(id, (state) => (isReported(state) ? refuseToInterrupt(state) : requestInterrupt(state)), by),
    settled: (id, turnId) => settleTurn(deps, id, turnId),
    suspend: async (id, reason, by) => {
      for (let tries = 1; ; tries += 1) {
        if ((await committer.sessionState(id)).phase.at === "busy") await runner.interrupt(id, "interrupted");
        try {
          return await changeAndRelease(id, (state) => suspendSession(state, reason), by);
        } catch (thrown) {
          // A turn that was admitted may have started between the look and the record.
          if (toNomosError(thrown).code !== "session_busy" || tries === SUSPEND_TRIES) throw thrown;
        }
      }
    },
    ask: (id, question, options, by) => {
      const put = { approvalId: newId(), question, options, action: null, effectId: null, checkpoint: null };
      return change(id, (state) => askInTurn(state, put), by);
    },
    configure: async (id, settings, by) => {
      const state = await committer.sessionState(id);
      deps.specs.driver(state.spec?.adapter ?? "").checkSettings?.(settings);
      refuseUnoffered(state.driver?.offer ?? null, settings);
      return change(id, (now) => configureDriver(now, settings), by);
    },
    resume: (id, by) => changeAndPump(id, resumeSession, by),
    hibernate: (id, reason, by) => changeAndRelease(id, (state) => hibernateSession(state, reason), by),
    kill: (id, reason, by) =>
      end(id, (state) => (isEnded(state) ? [] : endSession(state, { kind: "killed", reason })), by),
    forget: (id, by) => end(id, forgetSession, by),
    gone,
    label: (id, label, by) => change(id, (state) => labelSession(state, label), by),
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
    erase: async (id, events, reason, by) => {
      await committer.sessionState(id);
      return committer.erase(Session, id, events, reason, by);
    },
    livingNear: living.near,
    recover: async () => {
      await deps.trees.sweep();
      return recoverAll(store, (row) => recoverOne(row).catch((thrown: unknown) => orLeft(row.id, thrown)));
    },
    stop: async (graceMs) => {
      stopSleeper();
      externals.stop();
      await runner.drain(graceMs);
      await Promise.all(awake.all().map(sleep));
      awake.stop();
      living.stop();
    },
  };

  /** One session that cannot be recovered keeps nobody from the others; a log that cannot be used does. */
  function orLeft(id: string, thrown: unknown): false {
    const { code } = toNomosError(thrown);
    if (LOG_UNUSABLE.includes(code)) throw thrown;
    deps.log("a session could not be recovered", { id, code, reason: String(thrown) });
    return false;
  }

  async function recoverOne(row: SessionRow): Promise<boolean> {
    if (row.forgotten) return false;
    const state = await committer.sessionState(row.id);
    const external = state.spec?.external ?? null;
    if (external !== null) {
      externals.add(row.id, external satisfies ProcessIdentity);
      return false;
    }
    const { events } = await committer.session(row.id, recoverSession, DAEMON);
    // Turns wait until the files are what the talk says.
    await rewinding.settle(state);
    // What a turn did to the files before it was cut is its own doing, not somebody else's.
    if (events.length > 0) runner.pumpAfter(row.id, rewinding.keepCut(row.id));
    else runner.pump(row.id);
    return events.length > 0;
  }
}

const LOG_UNUSABLE: readonly string[] = [
  ...["disk_full", "log_corrupt", "stale_fence", "store_closed", "store_failed", "store_read_only"],
  "store_unreachable",
];

function refuseToInterrupt({ id }: SessionState): never {
  throw new NomosError("not_interruptible", { id });
}
