import type { Placed } from "../definitions/event.ts";
import { defineList, putRow, type RowChange } from "../definitions/list.ts";
import { ownEntry } from "../own-entry.ts";
import { isBusy } from "./decide-life.ts";
import type { Spent } from "./driver-events.ts";
import type { Fact } from "./events.ts";
import type { SandboxMode } from "./life-events.ts";
import { isEnded, type PendingQuestion, pendingApprovals, type SessionState } from "./state.ts";
import type { SessionStateName } from "./transitions.ts";
import type { QuestionDetail } from "./turn-events.ts";

/** The row of a session in lists, made from its fold in each append's transaction. */
export interface SessionRow {
  readonly id: string;
  readonly name: string;
  readonly adapter: string;
  readonly agent: string;
  /** Present when an agent was named. */
  readonly bound?: true;
  readonly workspace: string;
  readonly ground: string;
  readonly cwd: string;
  readonly sandbox: SandboxMode;
  readonly state: SessionStateName;
  readonly busy: boolean;
  readonly waitingFor: "approval" | "quota" | null;
  /** When the usage limit that it waits for resets. */
  readonly waitingUntil?: string;
  readonly queued: number;
  readonly label: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly lastOutputAt: string | null;
  readonly exitCode: number | null;
  readonly parentSessionId: string | null;
  readonly depth: number;
  readonly head: string | null;
  readonly forkedFrom: { readonly sessionId: string; readonly eventId: string } | null;
  readonly root: string;
  readonly forgotten: boolean;
  readonly archived: SessionState["archived"];
  readonly turnsEnded: number;
  /** Something runs or waits to run: a new daemon must look at it first. */
  readonly active: boolean;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly title?: string;
  readonly spent?: Spent;
}

export interface ApprovalRow {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly status: "pending" | "approved" | "rejected" | "cancelled" | "expired";
  readonly question: string;
  readonly options: readonly string[];
  readonly action: { readonly verb: string; readonly resource: string } | null;
  readonly createdAt: string;
  /** Only while it is open, because it may be large; the log keeps it. */
  readonly detail?: QuestionDetail;
}

export function sessionRow(state: SessionState): SessionRow | null {
  const { spec, phase, forkedFrom } = state;
  if (spec === null) return null;
  return {
    id: state.id,
    name: spec.name,
    adapter: spec.adapter,
    agent: spec.agent,
    ...(spec.delegates === undefined ? {} : { bound: true as const }),
    workspace: spec.workspace,
    ground: spec.ground,
    cwd: spec.cwd,
    sandbox: spec.sandbox,
    state: phase.at,
    busy: isBusy(state),
    waitingFor: waitingFor(state),
    ...(state.quota === undefined || isEnded(state) ? {} : { waitingUntil: state.quota.until }),
    queued: state.queue.length,
    label: state.label,
    startedAt: state.openedAt ?? "",
    endedAt: "endedAt" in phase ? phase.endedAt : null,
    lastOutputAt: state.lastOutputAt,
    exitCode: phase.at === "exited" ? phase.exitCode : null,
    parentSessionId: spec.parentSessionId,
    depth: spec.depth,
    head: state.headId,
    forkedFrom: forkedFrom === null ? null : { sessionId: forkedFrom.sessionId, eventId: forkedFrom.eventId },
    root: state.root,
    forgotten: state.forgotten,
    archived: state.archived,
    turnsEnded: state.turnsEnded,
    active: isBusy(state) || phase.at === "starting" || (spec.external !== null && !isEnded(state)),
    error: phase.at === "error" ? { code: phase.code, message: phase.message } : null,
    ...(state.title == null ? {} : { title: state.title }),
    ...(state.spent === undefined ? {} : { spent: state.spent }),
  };
}

function waitingFor(state: SessionState): SessionRow["waitingFor"] {
  const { phase, quota } = state;
  if (phase.at === "busy" && pendingApprovals(state, phase.turnId).length > 0) return "approval";
  return quota === undefined || isEnded(state) ? null : "quota";
}

export const SESSIONS = defineList<SessionRow>()({
  name: "session",
  table: "sessions",
  newestFirst: true,
  isHot: true,
  head: { kind: "session", member: "head" },
  keys: {
    name: { text: ({ name }) => name, indexed: true },
    alive: { flag: ({ endedAt }) => endedAt === null, indexed: true },
    shown: { flag: ({ forgotten }) => !forgotten },
    active: { flag: ({ active }) => active, indexed: true },
    workspace: { text: ({ workspace }) => workspace, indexed: true },
    state: { text: ({ state }) => state, indexed: true },
    // Rounded to minutes, so that a working session does not move in the index with every event.
    activity: { text: ({ lastOutputAt, startedAt }) => (lastOutputAt ?? startedAt).slice(0, 16), indexed: true },
  },
});

export const APPROVALS = defineList<ApprovalRow>()({
  name: "approval",
  table: "approvals",
  keys: {
    session: { text: ({ sessionId }) => sessionId, indexed: true },
    status: { text: ({ status }) => status, indexed: true },
  },
});

/** How an event changes the list of approvals; `before` still has the question that is answered. */
export function approvalRows(before: SessionState, { fact, at }: Placed<Fact>): readonly RowChange[] {
  switch (fact?.type) {
    case "approval.requested@1":
      return [approvalRow(before.id, { ...fact.data, askedAt: at }, "pending")];
    case "approval.answered@1":
    case "approval.closed@1": {
      const asked = ownEntry(before.approvals, fact.data.approvalId);
      return asked === undefined ? [] : [approvalRow(before.id, asked, fact.data.status)];
    }
    default:
      return [];
  }
}

function approvalRow(sessionId: string, asked: PendingQuestion, status: ApprovalRow["status"]): RowChange {
  const { approvalId: id, turnId, question, options, action, askedAt: createdAt, detail } = asked;
  const row = { id, sessionId, turnId, question, options, action, status, createdAt };
  return putRow(APPROVALS, id, detail === undefined ? row : { ...row, detail });
}
