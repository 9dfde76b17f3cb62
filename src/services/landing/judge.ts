import type { Finding, LandingOrder } from "../../domains/index.ts";
import type { CapturedWork, LandedChange, LandingRepository, Made } from "../../host/index.ts";
import type { SessionState } from "../../kernel/index.ts";

/** Decides whether work may reach a branch. */
export interface LandingJudge {
  /** Everything that speaks against the landing before checks run. Empty: it may be checked. */
  readonly judge: (given: Judged, signal: AbortSignal) => Promise<readonly Finding[]>;
  /** Runs the person's hooks and all checks on a laid-out copy of the commit. */
  readonly check: (given: Checked, signal: AbortSignal) => Promise<CheckReport>;
  /**
   * For a landing that is refused and will not be tried again by itself: asks the session's person to allow what only its
   * scope forbids. Returns the findings with the command that answers. Not for dry runs.
   */
  readonly amend: (given: Judged, findings: readonly Finding[]) => Promise<readonly Finding[]>;
}

export type MadeCommits = Extract<Made, { commit: string }>;

export interface Judged {
  readonly opened: LandingRepository;
  readonly order: LandingOrder;
  readonly captured: CapturedWork;
  /** Where the branch points, or the commit of the landing that is stacked below. */
  readonly tip: string;
  readonly made: MadeCommits;
  /** Holds the scope, and what a person added to it. */
  readonly state: SessionState;
}

export interface Checked {
  readonly opened: LandingRepository;
  /** One, or a batch. */
  readonly landings: readonly LandingOrder[];
  readonly branch: string;
  readonly tip: string;
  readonly commit: string;
  /** Of the configuration and of the landings, each once. */
  readonly checks: readonly (readonly string[])[];
  /** Empty, for the copy; removed by the caller. */
  readonly folder: string;
  /** Told what runs now, as a person would type it; null when nothing does. */
  readonly running?: ((command: string | null) => void) | undefined;
}

/** The law of a repository: asked anew at each landing, because the branch that holds it may have moved. */
export interface LandingLaw {
  /** What the law, the ticket and the lease say against a landing. */
  readonly judge: (given: LawfulWork) => Promise<readonly Finding[]>;
  /** Commands that have to pass beside those of the configuration and of the landing. */
  readonly checks: (order: LandingOrder, to: CheckedRange) => Promise<readonly (readonly string[])[]>;
  /** The branch that a session's work goes to when nobody names one; null: the one that is checked out. */
  readonly into: (sessionId: string) => Promise<string | null>;
}

export interface CheckedRange {
  readonly opened: LandingRepository;
  /** Where the branch points. */
  readonly onto: string;
  readonly commit: string;
}

export interface LawfulWork extends Pick<Judged, "opened" | "order" | "tip" | "state"> {
  readonly commit: string;
  readonly changes: readonly LandedChange[];
}

export interface CheckReport {
  readonly findings: readonly Finding[];
  /** Those that ran and passed. */
  readonly passed: readonly (readonly string[])[];
  readonly checkMs: number;
  /** A commit-msg hook changed the message. */
  readonly message?: string;
}
