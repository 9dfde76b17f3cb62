/** What a rule can be about. `evolution_gate` and `patch_first` are read and shown; people keep them. */
export const RULE_TYPES = [
  "filesystem_deny",
  "filesystem_allow",
  "require_lease",
  "require_checks",
  "evolution_gate",
  "patch_first",
] as const;

export type RuleType = (typeof RULE_TYPES)[number];

export const LAW_ACTIONS = ["read", "write", "delete"] as const;

export type LawAction = (typeof LAW_ACTIONS)[number];

/** One compiled rule of a constitution. All members are always there, so that its hash covers all. */
export interface LawRule {
  readonly id: string;
  readonly type: RuleType;
  /** From the repository's root, or `/...`, or `~/...`. A pattern covers what it matches, and everything below. */
  readonly patterns: readonly string[];
  /** Empty: all. */
  readonly actions: readonly LawAction[];
  readonly message: string;
  /** Commands that have to pass, of `require_checks`. */
  readonly checks: readonly (readonly string[])[];
}

/** Patterns that nobody may change or read, apart for each action. */
export type Denials = Readonly<Record<LawAction, readonly string[]>>;
