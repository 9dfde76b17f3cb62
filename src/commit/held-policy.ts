import { createHash } from "node:crypto";
import { changePolicy, compilePolicy, DEFAULT_RULES, type Policy, type Rule, System } from "../domains/index.ts";
import { canonicalJson } from "../kernel/index.ts";
import type { RecordedEvent } from "../store/index.ts";
import type { By } from "./change.ts";
import type { Committer } from "./committer.ts";

/** The one owner of the gate's policy. Everybody who decides asks for the current one, each time. */
export interface HeldPolicy {
  readonly current: () => Policy;
  /**
   * Recorded, then in force from the next decision on. `rules` speak before the default ones. The same rules again record
   * nothing. Throws `policy_too_large`; then the old ones stay in force.
   */
  readonly replace: (rules: readonly Rule[], by: By) => Promise<readonly RecordedEvent[]>;
}

export interface HeldPolicyDeps {
  readonly committer: Pick<Committer, "change">;
  /** All verbs that the gate may be asked about; any other is denied. */
  readonly verbs: readonly string[];
  readonly rules: readonly Rule[];
  readonly beside?: Policy["beside"] | undefined;
}

/** In force at once: a start that finds no room to record the rules still holds everybody to them. */
export function holdPolicy({ committer, verbs, rules, beside }: HeldPolicyDeps): HeldPolicy {
  const compiled = (given: readonly Rule[]): Policy => ({
    ...compilePolicy(verbs, withDefaults(given)),
    ...(beside === undefined ? {} : { beside }),
  });
  let current = compiled(rules);
  let lastChange: Promise<unknown> = Promise.resolve();

  const change = async (given: readonly Rule[], by: By): Promise<readonly RecordedEvent[]> => {
    const next = { hash: hashOf(given), rules: given };
    const decide = ({ policyHash }: { readonly policyHash?: string }) =>
      changePolicy(policyHash ?? NO_RULES_HASH, next, Buffer.byteLength(canonicalJson(asJson(given))));
    const { events } = await committer.change(System, "", decide, by);
    current = compiled(given);
    return events;
  };

  return {
    current: () => current,
    // One after another: what was recorded last is what is in force.
    replace: (given, by) => {
      const changed = lastChange.then(() => change(given, by));
      lastChange = changed.catch(() => undefined);
      return changed;
    },
  };
}

const withDefaults = (rules: readonly Rule[]): readonly Rule[] => [...rules, ...DEFAULT_RULES];

const asJson = (rules: readonly Rule[]) =>
  rules.map(({ id, effect, verb, resource, isDefault }) => ({
    id,
    effect,
    verb,
    resource,
    isDefault: isDefault === true,
  }));

function hashOf(rules: readonly Rule[]): string {
  return createHash("sha256")
    .update(canonicalJson(asJson(rules)))
    .digest("hex");
}

const NO_RULES_HASH = hashOf([]);
