import { NomosError, toNomosError } from "../../contract/index.ts";
import { compilePolicy, DEFAULT_RULES, type Policy, type Rule } from "../../domains/index.ts";
import type { Engine, EngineReplay } from "../../engine/index.ts";
import { SESSIONS, Session } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { branchOf } from "../../supervisor/index.ts";
import { TURN_VERBS } from "../../turns/index.ts";
import { type JudgedCalls, judgeRequests, type ToolRules } from "./judge-requests.ts";
import { readRecorded } from "./recorded-path.ts";

/** Replays of recorded sessions. They change nothing: no file, no process, nothing in the log. */
export interface ReplayService {
  readonly replay: (id: string, order: SessionReplayOrder) => Promise<SessionReplay>;
}

export interface SessionReplayOrder {
  /** NAME/MODEL: it is asked at each recorded step. */
  readonly model?: string | undefined;
  /** Judges what is recorded; the current policy without it. */
  readonly rules?: readonly Rule[] | undefined;
  /** An event or a label. */
  readonly until?: string | undefined;
  readonly all?: boolean | undefined;
  readonly callsOnly?: boolean | undefined;
  readonly budgetUsd?: number | undefined;
  readonly signal: AbortSignal;
  readonly onStep: (done: number, total: number) => void;
}

export interface SessionReplay extends EngineReplay, JudgedCalls {
  /** The last event that was replayed; null: nothing is recorded. */
  readonly until: string | null;
  readonly isRunning: boolean;
}

export interface ReplayDeps extends ToolRules {
  readonly store: Store;
  readonly engine: Pick<Engine, "replay">;
  readonly policy: () => Policy;
}

const MICRO = 1_000_000;

export function createReplays(deps: ReplayDeps): ReplayService {
  const { store, engine } = deps;
  return {
    replay: async (id, order) => {
      const row = await store.row(SESSIONS, id);
      if (row === null || row.forgotten) throw new NomosError("session_not_found", { id });
      if (row.archived !== null) throw new NomosError("session_archived", { id });
      const now = await store.fold(Session, id);
      const { state, events, erased } = await readRecorded(store, now, order.until, order.signal);
      const policy =
        order.rules === undefined ? deps.policy() : compilePolicy(TURN_VERBS, [...order.rules, ...DEFAULT_RULES]);
      const judged = await judgeRequests(state, events, policy, deps);
      const { signal, onStep } = order;
      const cwd = state.spec?.cwd ?? "/";
      const replayed = await engine
        .replay(
          { sessionId: id, cwd, events, erased, branch: (from) => branchOf(store, now, from) },
          {
            ...{ model: order.model ?? null, isThorough: order.all === true, callsOnly: order.callsOnly === true },
            budgetMicroUsd: order.budgetUsd === undefined ? null : Math.round(order.budgetUsd * MICRO),
            ...{ signal, onStep },
          },
        )
        .catch((thrown: unknown) => {
          throw toNomosError(thrown);
        });
      const isRunning = order.until === undefined && now.phase.at === "busy";
      return { ...replayed, ...judged, until: events.at(-1)?.id ?? null, isRunning };
    },
  };
}
