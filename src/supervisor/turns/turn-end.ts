import type { Committer } from "../../commit/index.ts";
import { toNomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import {
  type Decision,
  endStillborn,
  endTurn,
  type Fact,
  isEnded,
  reachQuota,
  type SessionState,
  together,
} from "../../kernel/index.ts";
import { type Reverted, withRefused, withReverted } from "../files/scope-judge.ts";
import type { TurnRunnerDeps } from "./turn-runner-deps.ts";
import type { Outcome } from "./turn-stop.ts";

type EndDeps = Pick<TurnRunnerDeps, "committer" | "clock" | "newId" | "onQuota" | "log">;

/** The result of a turn. */
export interface TurnOver {
  readonly outcome: Outcome;
  /** Facts about the files, recorded together with the turn's end. */
  readonly files: readonly Fact[];
  readonly reverted: Reverted | null;
  /** Of what was reverted. */
  readonly diff: string;
  /** Changes that the scope refused, each with its diff. */
  readonly outside: ReadonlyMap<string, string>;
  /** The driver wants it recorded when nothing is left to do. */
  readonly settles: boolean;
}

/**
 * Retries until the end is recorded: without it the session would stay busy for ever. If the log refuses the facts that come
 * with the end, the end is recorded without them.
 */
export async function recordTurnEnd(
  deps: EndDeps,
  sessionId: string,
  turnId: string,
  { outcome, files, reverted, diff, outside, settles }: TurnOver,
): Promise<void> {
  const approvalId = deps.newId();
  const refusal = { approvalId: deps.newId(), turnId, outside };
  const nextTurnId = deps.newId();
  const end = (now: SessionState): Decision =>
    together(limitOf(deps, now, turnId, nextTurnId, outcome), endOf(now, turnId, outcome, settles));
  const whole = (now: SessionState) =>
    withRefused(now, refusal, withReverted(now, turnId, approvalId, reverted, withFiles(files, end(now)), diff));
  try {
    await untilRecorded(deps, sessionId, whole);
  } catch (thrown) {
    deps.log("a turn ended without a snapshot", { id: sessionId, turnId, reason: String(thrown) });
    await untilRecorded(deps, sessionId, end);
  }
}

/** The pump of a session failed: its turn fails, so that the session can run the next one. False: it could not be ended. */
export async function endBroken(
  deps: Parameters<typeof recordTurnEnd>[0],
  sessionId: string,
  code: string,
): Promise<boolean> {
  try {
    const { phase } = await deps.committer.sessionState(sessionId);
    if (phase.at !== "busy") return false;
    const error = { code, message: "The turn failed; run `nomos daemon logs` to see why." };
    const ended = {
      outcome: { outcome: "failed", error },
      files: [],
      reverted: null,
      diff: "",
      outside: new Map(),
      settles: false,
    } as const;
    await recordTurnEnd(deps, sessionId, phase.turnId, ended);
    return true;
  } catch (thrown) {
    deps.log("a failed turn could not be ended", { sessionId, reason: String(thrown) });
    return false;
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

/** The usage limit that ended the turn, recorded in the same append: a session that was cut by a limit always waits. */
function limitOf(
  { clock, onQuota }: EndDeps,
  state: SessionState,
  turnId: string,
  nextTurnId: string,
  { limit }: Outcome,
): Decision {
  if (limit === undefined || isEnded(state) || state.spec === null) return [];
  const { untilMs, reason } = limit;
  const onReset = onQuota(state.spec.adapter);
  return reachQuota(state, { turnId, until: clock.iso(untilMs), reason, onReset, nextTurnId });
}

function endOf(
  given: SessionState,
  turnId: string,
  { isStillborn, outcome, error }: Outcome,
  settles: boolean,
): Decision {
  if (isEnded(given)) return [];
  // Any other driver got what it should know before its prompt: that is no message which still waits for an answer.
  const { steers: _told, ...plain } = given;
  const state = settles ? given : plain;
  return isStillborn === true && error !== null
    ? endStillborn(state, { turnId, outcome, error })
    : endTurn(state, { turnId, outcome, error, settles });
}

/** A full disk or an unreachable database may recover, so retry. */
export function isPassing(thrown: unknown): boolean {
  const { code } = toNomosError(thrown);
  return code === "disk_full" || code === "overloaded" || code === "store_unreachable";
}

export const TRY_AGAIN_MS = 500;
