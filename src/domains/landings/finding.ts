/** Why a landing is refused. */
export type LandingRule = "scope" | "secret" | "size" | "fileBudget" | "check" | "conflict" | "base" | "policy";

export interface Finding {
  readonly rule: LandingRule;
  /** Absent when it concerns no single file. */
  readonly path?: string;
  readonly message: string;
  /** What the person or the agent can do about it. */
  readonly remedy: string;
}

/** Rules whose findings an agent can mend in its worktree; the others need a person. */
const MENDABLE: readonly LandingRule[] = ["secret", "size", "fileBudget", "check", "conflict"];

export function isMendable(findings: readonly Finding[]): boolean {
  return findings.length > 0 && findings.every(({ rule }) => MENDABLE.includes(rule));
}
