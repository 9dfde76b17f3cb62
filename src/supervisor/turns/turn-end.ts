import type { Committer } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import {
  type Decision,
  endStillborn,
  endTurn,
  type Fact,
  isEnded,
  type SessionState,
  together,
} from "../../kernel/index.ts";
import { type Reverted, withReverted } from "../files/scope-judge.ts";
import type { Outcome } from "./turn-stop.ts";

/** The result of a turn. */
export interface TurnOver {
  readonly outcome: Outcome;
  /** Facts about the files, recorded together with the turn's end. */
  readonly files: readonly Fact[];
  readonly reverted: Reverted | null;
}

/**
 * Retries until the end is recorded: without it the session would stay busy for ever. If the log refuses the facts that come
 * with the end, the end is recorded without them.
 */
export async function recordTurnEnd(
  deps: {
    readonly committer: Committer;
    readonly clock: Clock;
    readonly newId: () => string;
    readonly log: (message: string, details: object) => void;
  },
  sessionId: string,
  turnId: string,
  { outcome, files, reverted }: TurnOver,
): Promise<void> {
  const approvalId = deps.newId();
  const whole = (now: SessionState) =>
    withReverted(now, turnId, approvalId, reverted, withFiles(files, endOf(now, turnId, outcome)));
  try {
    await untilRecorded(deps, sessionId, whole);
  } catch (thrown) {
    deps.log("a turn ended without a snapshot", { id: sessionId, turnId, reason: String(thrown) });
    await untilRecorded(deps, sessionId, (now) => endOf(now, turnId, outcome));
  }
}

async function untilRecorded(
  { committer, clock }: { readonly committer: Committer; readonly clock: Clock },
  sessionId: string,
  decide: (state: SessionState) => Decision,
): Promise<void> {
  while (true) {
    try {
      await committer.session(sessionId, decide, { actor: "daemon" });
      return;
    } catch (thrown) {
      const { code } = toNomosError(thrown);
      if (code === "session_not_found" || code === "turn_ended" || code === "turn_not_found") return;
      if (!isPassing(thrown)) throw thrown;
      await clock.sleep(TRY_AGAIN_MS);
    }
  }
}

function withFiles(files: readonly Fact[], end: Decision): Decision {
  return "refused" in end || end.length > 0 ? together(files, end) : end;
}

function endOf(state: SessionState, turnId: string, { isStillborn, outcome, error }: Outcome): Decision {
  if (isEnded(state)) return [];
  return isStillborn === true && error !== null
    ? endStillborn(state, { turnId, outcome, error })
    : endTurn(state, { turnId, outcome, error });
}

/** A full disk or an unreachable database may recover, so retry. */
export function isPassing(thrown: unknown): boolean {
  const { code } = toNomosError(thrown);
  return code === "disk_full" || code === "overloaded" || code === "store_unreachable";
}

export const TRY_AGAIN_MS = 500;
