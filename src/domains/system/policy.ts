import { type Decision, event, factsOf, refuse } from "../../kernel/index.ts";
import type { Rule } from "../gate/gate.ts";

/** The rules in force from here on, all of them. */
export interface PolicyChanged {
  /** sha256 of the rules in canonical JSON. */
  readonly hash: string;
  readonly rules: readonly Rule[];
}

export const POLICY_EVENTS = { "policy.changed@1": event<PolicyChanged>() };

export const POLICY_LIMITS = {
  policyRulesMax: { max: 1000, of: "rules of the gate's policy" },
  policyBytes: { max: 524_288, of: "bytes of all rules together" },
};

const fact = factsOf(POLICY_EVENTS);

/** `inForce`: the hash last recorded, or that of the default rules where none was. The same rules again change nothing. */
export function changePolicy(inForce: string, next: PolicyChanged, bytes: number): Decision {
  const [rulesMax, bytesMax] = [POLICY_LIMITS.policyRulesMax.max, POLICY_LIMITS.policyBytes.max];
  if (next.rules.length > rulesMax || bytes > bytesMax)
    return refuse("policy_too_large", { rules: next.rules.length, rulesMax, bytes, bytesMax });
  return inForce === next.hash ? [] : [fact("policy.changed@1", next)];
}
