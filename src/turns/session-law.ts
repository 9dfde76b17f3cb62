import type { SessionState } from "../kernel/index.ts";

/** The law of the repository that a session works in. A session elsewhere has none. */
export interface SessionLaw {
  /** Before a turn runs: what the gate is asked about in it must be known. Throws when the law cannot be read. */
  readonly ready: (state: Pick<SessionState, "id" | "spec">) => Promise<void>;
  /** Whether the session works on a ticket, whose scope a person can amend. Known once it is ready. */
  readonly isOnTicket: (sessionId: string) => boolean;
  /** Before each decision of the gate in a turn: takes up what has moved, such as the law's branch and the lease. */
  readonly refresh: (sessionId: string) => Promise<void>;
  /**
   * The rule by which the session may not change or delete a path below its worktree's root; null: no rule says so. What
   * the law forbids is no question of the scope: no person is asked, and no earlier yes counts.
   */
  readonly forbids: (sessionId: string, path: string, isDeleted: boolean) => string | null;
}
