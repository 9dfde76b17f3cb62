import type { CoUpdate } from "../drift/co-updates.ts";
import type { Scope } from "../scope/scope.ts";
import type { Ticket } from "../tickets/ticket.ts";

/** How a branch stands to another one. */
export interface Distance {
  readonly name: string;
  readonly ahead: number;
  readonly behind: number;
}

/** Another session that works on this repository. */
export interface FellowSession {
  readonly sessionId: string;
  readonly agent: string;
  readonly ticketId: string | null;
  /** Null when it has none. */
  readonly scope: Scope | null;
}

/** A branch, or work in a worktree, that is not part of the present one. */
export interface OtherBranch {
  readonly name: string;
  readonly commit: string;
  /** When its newest commit was made. */
  readonly atMs: number;
  /** What it changed since it left the present work; the first ones. */
  readonly paths: readonly string[];
  readonly more: number;
  /** The subject of its newest commit. */
  readonly summary: string;
  readonly ticketId: string | null;
}

export interface Machine {
  readonly cores: number;
  /** The average of the last minute. */
  readonly load: number;
  readonly freeBytes: number;
}

/** All that advisories are made of. What could not be found out is null or empty. */
export interface AdvisoryFacts {
  readonly nowMs: number;
  readonly ticket: Pick<Ticket, "id" | "scope" | "resourceProfile"> | null;
  readonly branch: {
    /** Null when HEAD is on none. */
    readonly name: string | null;
    readonly upstream: Distance | null;
    readonly base: Distance | null;
    /** How the base stands to its own upstream. */
    readonly baseUpstream: Distance | null;
  };
  readonly siblings: readonly FellowSession[];
  readonly unmerged: readonly OtherBranch[];
  /** The branch of the ticket's last work that was no audit. */
  readonly lastBranch: string | null;
  readonly machine: Machine | null;
  readonly coUpdates: readonly CoUpdate[];
  /** Paths that the work has changed so far. */
  readonly changed: readonly string[];
}
