import { defineAggregate } from "../definitions/aggregate.ts";
import { putRow } from "../definitions/list.ts";
import type { Queued } from "../definitions/queue.ts";
import { refuse } from "../refusal.ts";
import { isBusy } from "./decide-life.ts";
import { startNextTurn } from "./decide-turn.ts";
import { SESSION_EVENTS } from "./events.ts";
import { evolveSession } from "./evolve.ts";
import { APPROVALS, approvalRows, SESSIONS, sessionRow } from "./rows.ts";
import { newSessionState, type SessionState, sessionStream } from "./state.ts";
import { quotaAlarms, ringQuota } from "./steps/decide-steps.ts";

/** The session: an agent at work. */
export const Session = defineAggregate({
  kind: "session",
  events: SESSION_EVENTS,
  lists: [SESSIONS, APPROVALS],
  empty: newSessionState,
  evolve: evolveSession,
  rowsOfEvent: approvalRows,
  ownRows: (state) => {
    const row = sessionRow(state);
    return row === null ? [] : [putRow(SESSIONS, state.id, row)];
  },
  account: quotaOf,
  alarms: quotaAlarms,
  ring: ringQuota,
  queued: waitingTurns,
  start: (state, turnId) => (state.queue[0]?.turnId === turnId ? startNextTurn(state) : []),
  refuseErasure: (state) => (isBusy(state) ? refuse("session_busy", { id: state.id }) : null),
});

/**
 * A fork draws on the quota of the session that it comes from, a session that another one started on that of its parent:
 * otherwise a chain of sessions that start sessions would have any number of quotas.
 */
function quotaOf({ id, root, spec }: SessionState): string {
  return root === id ? (spec?.parentSessionId ?? id) : root;
}

/** Each session is a lane of its own, served by its pump: one turn at a time, in order of arrival. */
function waitingTurns(state: SessionState): readonly Queued[] {
  const heldBy = state.phase.at === "idle" && state.restoring === undefined ? null : whyNotNow(state);
  const lane = sessionStream(state.id);
  return state.queue.map(({ turnId, eventId }) => ({
    item: turnId,
    lane,
    priority: 0,
    order: eventId,
    at: "waiting",
    heldBy,
  }));
}

function whyNotNow({ phase, restoring }: SessionState): string {
  return restoring === undefined ? `the session is ${phase.at}` : "its files are being restored";
}
