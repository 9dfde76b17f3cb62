import type { Denials, LawRule } from "./law-rule.ts";

/** Which judge a law was compiled for. Another major version is refused. */
export const LAW_KERNEL = { name: "nomos", version: "1.0.0" } as const;

/** `.nomos/governance.lock.json`: the constitution as compiled rules, chained to the lock before it. */
export interface LawLock {
  readonly version: 1;
  readonly kernel: { readonly name: string; readonly version: string };
  /** sha256 of the constitution, in hex. */
  readonly sources: { readonly constitution: string };
  readonly rules: readonly LawRule[];
  readonly rulesHash: string;
  /** Hash of the lock before this one on the law's branch; null for the first. */
  readonly previous: string | null;
  /** Of everything else. */
  readonly hash: string;
}

/** `.nomos/policy.sealed.json`: everything that a judge needs, in one signed file. */
export interface SealedPolicy {
  readonly version: 1;
  readonly composedAt: string;
  /** sha256 of each source, in hex; null when there is no such file. */
  readonly sources: SealSources;
  /** Hash of the lock. */
  readonly lock: string;
  readonly rules: readonly LawRule[];
  readonly denials: Denials;
  readonly budgets: { readonly files: number; readonly lines: number };
  readonly checks: readonly (readonly string[])[];
  /** Hash of everything else but the signature's value. */
  readonly integrity: string;
  /** Null: composed where there is no key. */
  readonly signature: SealSignature | null;
}

export interface SealSources {
  readonly constitution: string;
  readonly config: string | null;
  readonly features: string | null;
  readonly requirements: string | null;
}

export interface SealSignature {
  /** A verifier key: `name+id+base64`. */
  readonly key: string;
  /** base64 */
  readonly value: string;
}
