import { NomosError } from "../../contract/index.ts";
import type { LawLock, LawRule, RuleFault } from "../../domains/index.ts";
import { readConstitution } from "./constitution.ts";
import { LAW_FILES, textLaw } from "./law-source.ts";
import { areSameRules, makeLock, parseLock, writeLock } from "./lock.ts";
import { chainFault, type LockHistory } from "./lock-chain.ts";
import {
  composePolicy,
  type PolicyParts,
  parsePolicy,
  type Signer,
  saysTheSame,
  writePolicy,
} from "./sealed-policy.ts";
import { sha256Hex } from "./stable-json.ts";
import { type LawProblem, lawProblem, verifySource } from "./verify-source.ts";

/** The texts of a law's files. */
export interface LawTexts {
  readonly constitution: string;
  readonly config?: string;
  readonly features?: string;
  readonly requirements?: string;
}

export interface MadeLock {
  readonly text: string;
  readonly rules: readonly LawRule[];
  /** What is allowed and probably not meant. */
  readonly notes: readonly RuleFault[];
}

export interface MadePolicy {
  readonly text: string;
  /** Who signed it; null: nobody. */
  readonly signer: string | null;
}

export interface Composing {
  readonly signer: Signer | null;
  readonly nowMs: number;
  /** The policy there is: it stays, byte by byte, when nothing it says has changed. */
  readonly policy: string | null;
}

/** Compiles a constitution. Nothing changed since the branch's newest lock: the same text again. */
export function buildLock(constitution: string, history: LockHistory): MadeLock {
  const { rules, faults, notes } = readConstitution(constitution);
  if (faults.length > 0) throw ruleError(faults);
  const { current } = history;
  const isSame = current !== null && isLockOf(current, constitution, rules) && chainFault(current, history) === null;
  const lock = isSame ? current : makeLock(constitution, rules, history.own[0]?.hash ?? null);
  return { text: writeLock(lock), rules, notes };
}

/** A lock of an older judge is made anew. */
function isLockOf(lock: LawLock, constitution: string, rules: readonly LawRule[]): boolean {
  const fresh = makeLock(constitution, rules, lock.previous);
  return (
    lock.sources.constitution === sha256Hex(constitution) && areSameRules(lock.rules, rules) && lock.hash === fresh.hash
  );
}

/** Composes the policy of a law whose lock fits. Refuses with what is wrong otherwise. */
export async function composeFrom(texts: LawTexts, lockText: string, composing: Composing): Promise<MadePolicy> {
  const { signer, nowMs, policy } = composing;
  const verified = await verifySource(textLaw({ ...texts, lock: lockText }), { signers: [] });
  const { law } = verified;
  const lock = parseLock(lockText);
  if (law === null || lock.is !== "whole") throw lawError(verified.problems);
  const parts: PolicyParts = { lock: lock.value, config: law.config, sources: law.sources };
  const before = policy === null ? null : parsePolicy(policy);
  if (before?.is === "whole" && saysTheSame(before.value, parts)) {
    const by = before.value.signature?.key ?? null;
    if (signer === null || by === signer.key) return { text: policy ?? "", signer: by };
  }
  const made = composePolicy(parts, signer, new Date(nowMs).toISOString());
  return { text: writePolicy(made), signer: signer?.key ?? null };
}

/** What is wrong with a law, as one error: the first problem's, with all of them in the details. */
export function lawError(problems: readonly LawProblem[]): NomosError {
  const first = problems[0] ?? lawProblem("governance_invalid", LAW_FILES.lock, "The law cannot be used.");
  const { code, message, remedy } = first;
  const shown = problems.slice(0, PROBLEMS_SHOWN).map((one) => ({ ...one }));
  return new NomosError(code, { problems: shown }, { message, remedy });
}

const PROBLEMS_SHOWN = 20;

function ruleError(faults: readonly RuleFault[]): NomosError {
  const [first] = faults;
  const where =
    first === undefined
      ? ""
      : `line ${first.line}${first.id === null ? "" : ` (${first.id.slice(0, 100)})`}: ${first.reason}`;
  return new NomosError(
    "rule_invalid",
    { file: LAW_FILES.constitution, faults: faults.slice(0, PROBLEMS_SHOWN).map((one) => ({ ...one })) },
    { message: `${LAW_FILES.constitution}, ${where}.` },
  );
}
