import { checkAction, commitPlan, resolveRequirements } from "./decision.ts";
import { loadGovernance, verifyGovernance } from "./governance.ts";
import { appendAudit, sealResult } from "./record.ts";
import { mintTicket, openSession, validateTicket } from "./session.ts";

/** The ten functions that governance stands on. Their signatures are frozen by a test: a change needs an ADR. */
export const GOVERNANCE_FUNCTIONS = {
  loadGovernance,
  verifyGovernance,
  openSession,
  mintTicket,
  validateTicket,
  checkAction,
  resolveRequirements,
  commitPlan,
  appendAudit,
  sealResult,
} as const;
