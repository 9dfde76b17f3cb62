import { NomosError } from "../../contract/index.ts";
import { type CompiledLaw, compileLaw, type Denials, denialsOf } from "../../domains/index.ts";
import type { RepositoryGit } from "../../host/index.ts";
import { type LawReport, type VerifyOptions, verifyFound } from "../law/verify-law.ts";
import type { SoundLaw } from "../law/verify-source.ts";
import { findTip, type Governed, governedAt } from "../repository/open-governed.ts";

/** A repository's law, ready to be asked. */
export interface Governance {
  readonly governed: Governed;
  readonly report: LawReport;
  /** Null: it does not verify, and everything is denied. */
  readonly law: SoundLaw | null;
  readonly compiled: CompiledLaw | null;
  readonly denials: Denials;
}

export interface GovernanceVerdict {
  readonly valid: boolean;
  readonly reasons: readonly string[];
  /** Hash of the lock that was judged; null when there is none. */
  readonly hash: string | null;
}

export interface LoadOptions extends VerifyOptions {
  readonly home: string | null;
}

/** Refuses `not_governed`. A law that does not verify is loaded too, and says so: see `verifyGovernance`. */
export async function loadGovernance(git: RepositoryGit, cwd: string, options: LoadOptions): Promise<Governance> {
  const found = await findTip(git, cwd, options.scratch);
  const governed = found === null ? null : governedAt(git, found, options.scratch);
  if (found === null || governed === null) throw new NomosError("not_governed", { path: cwd });
  const report = await verifyFound(git, found, { withCheckout: false, ...options });
  const { law } = report;
  const places = { root: governed.root ?? governed.commonDir, home: options.home };
  const rules = law?.lock.rules ?? [];
  return {
    governed,
    report,
    law,
    compiled: law === null ? null : compileLaw(rules, places),
    denials: denialsOf(rules),
  };
}

/** A policy that is missing or stale is a reason too; the law itself may still be judged by. */
export function verifyGovernance({ report, law }: Governance): GovernanceVerdict {
  return {
    valid: report.ok,
    reasons: report.problems.map(({ code, message }) => `${code}: ${message}`),
    hash: law?.lock.hash ?? null,
  };
}
