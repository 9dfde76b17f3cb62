import { event } from "../../kernel/index.ts";

/** `audit`: reads the work of another model, changes nothing and holds no lease. */
export type WorkRole = "work" | "audit";

/** The ticket that a session works on, and the repository of both. */
export interface WorkOrder {
  readonly ticketId: string;
  readonly title: string;
  /** Names the repository, whichever of its worktrees a session was started from. */
  readonly repo: string;
  /** The directory that the session was started from. */
  readonly cwd: string;
  readonly role: WorkRole;
  readonly agent: string;
  readonly model: string | null;
  /** The principal that started it. */
  readonly actor: string;
}

/** What changed, measured against what the ticket allows. From 0 (none) to 1. */
export interface DriftFigures {
  readonly score: number;
  readonly scope: number;
  readonly budget: number;
  readonly boundary: number;
  readonly lines: number;
  readonly files: number;
}

/** What a session says when its work is over. */
export interface Parting {
  readonly summary: string;
  /** What is left to do. */
  readonly next: string | null;
  /** Why checks were skipped, or why it is handed over. */
  readonly reason: string | null;
}

interface Closing {
  /** `bypassed`: the checks were skipped, which proves nothing. `none`: there are none. */
  readonly checks: "passed" | "bypassed" | "none";
  readonly drift: DriftFigures | null;
  /** The path of the memento on the default branch. */
  readonly memento: string;
  readonly actor: string;
}

export interface Finished extends Closing {
  /** What becomes of the ticket. `keep`: it and its lease stay with the session. */
  readonly status: "keep" | "review" | "done";
}

export interface Handed extends Closing {
  /** The agent that receives it; null: whoever starts next. */
  readonly to: string | null;
}

/** A finish that an agent asked for during its own turn: it happens when the turn has ended. */
export interface AskedFinish extends Parting {
  readonly status: Finished["status"];
  readonly skipChecks: boolean;
  readonly actor: string;
}

export interface ToldWork {
  readonly turnId: string;
  readonly steerId: string;
  /** The session whose handoff it was shown; null: there was none for it. */
  readonly receivedFrom: string | null;
}

export const WORK_EVENTS = {
  /** Recorded before the lease is claimed and before the session exists. */
  "work.planned@1": event<WorkOrder>({ spaceNeed: "start", exact: true, words: ({ title }) => title }),
  /** The lease is held. `fence` is null for an audit. */
  "work.assigned@1": event<{
    readonly ticketId: string;
    readonly repo: string;
    readonly fence: number | null;
    readonly role: WorkRole;
  }>(),
  /** The agent was given its ticket, in this turn. The text is in its stream, as `steerId`. */
  "work.told@1": event<ToldWork>(),
  /** Somebody else holds the lease, or nobody does. */
  "work.lost@1": event<{ readonly holder: string | null; readonly fence: number | null }>(),
  /** The agent was told that it lost the lease. */
  "work.warned@1": event<{ readonly turnId: string; readonly steerId: string }>(),
  "work.measured@1": event<DriftFigures>({ spaceNeed: "course" }),
  "work.suspended@1": event<{ readonly reason: string; readonly keepsLease: boolean }>(),
  "work.resumed@1": event<{ readonly fence: number | null }>(),
  "work.asked@1": event<AskedFinish>({ erasable: true }),
  /** What was asked for could not be done. */
  "work.refused@1": event<{ readonly code: string; readonly message: string }>({ erasable: true }),
  /** Goes before the finish or the handoff that it is about, in the same append. */
  "work.summarised@1": event<Parting>({ erasable: true, words: ({ summary }) => summary }),
  "work.finished@1": event<Finished>(),
  "work.handed@1": event<Handed>(),
  /** This session received what was handed over. */
  "work.received@1": event<{ readonly sessionId: string }>(),
  /** It ended without a finish: its session could not be opened, or is gone. */
  "work.dropped@1": event<{ readonly code: string; readonly message: string }>(),
  /** Memento, ticket status and lease agree with the log. */
  "work.settled@1": event<{ readonly commit: string | null }>(),
};
