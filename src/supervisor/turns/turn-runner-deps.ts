import type { Committer } from "../../commit/index.ts";
import type { Policy, ToolPolicy } from "../../domains/index.ts";
import type { Clock, Files } from "../../host/index.ts";
import type { AfterQuota, SessionSpec } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { ApprovalWaiters, Driver, SessionLaw, UnattendedPolicy } from "../../turns/index.ts";
import type { ScopeJudge } from "../files/scope-judge.ts";
import type { SessionFiles } from "../files/session-files.ts";
import type { SessionProcesses } from "../processes/session-processes.ts";
import type { Advisories } from "./advisories.ts";
import type { Frames } from "./frames.ts";

export interface TurnRunnerDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly files: Files;
  readonly newId: () => string;
  /** The current policy: it may change during a turn. */
  readonly policy: () => Policy;
  readonly frames: Frames;
  readonly waiters: ApprovalWaiters;
  readonly processes: SessionProcesses;
  readonly sessionFiles: Pick<SessionFiles, "look" | "takenFact" | "changedOutside">;
  readonly driver: (slug: string) => Driver;
  readonly toolPolicy: (agent: string, tool: string) => Promise<ToolPolicy>;
  readonly permissions: PermissionSources;
  readonly scopes: ScopeJudge;
  /** Absent: no repository has a law. */
  readonly law?: SessionLaw | undefined;
  /** What happens when the usage limit of this driver's agent has reset. */
  readonly onQuota: (adapter: string) => Exclude<AfterQuota, "resume">;
  readonly turnTimeoutMs: () => number;
  readonly secrets: SecretSources;
  readonly advisories: Pick<Advisories, "atStart">;
  readonly log: (message: string, details: object) => void;
}

/** Values of the vault, as variables. Each call is recorded as a use. */
export interface SecretSources {
  readonly ofSession: (sessionId: string, spec: SessionSpec) => Promise<Readonly<Record<string, string>>>;
  readonly ofDriver: (sessionId: string, spec: SessionSpec) => Promise<Readonly<Record<string, string>>>;
}

/** How a foreign agent's wishes are decided, as configured. */
export interface PermissionSources {
  /** Null when the agent's policy does not name the tool. */
  readonly named: (agent: string, tool: string) => Promise<ToolPolicy | null>;
  readonly unattended: (adapter: string) => UnattendedPolicy;
  readonly answerWithinMs: () => number | null;
  /** The Nomos home, which no agent may reach. */
  readonly home: string;
}
