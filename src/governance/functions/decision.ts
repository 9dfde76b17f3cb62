import type { Scope } from "../../domains/index.ts";
import { judgeLaw, type LawVerdict } from "../../domains/index.ts";
import { resolvedPath } from "../law/check-path.ts";
import type { Governance } from "./governance.ts";
import type { GovernanceSession, MintedTicket, TicketValidity } from "./session.ts";

/** What is to be done to one path. */
export interface GovernedAction {
  readonly verb: string;
  /** From the repository's root, or absolute, or `~/...`. */
  readonly path: string;
}

export interface ActionContext {
  /** Null: without a ticket. */
  readonly ticket: { readonly scope: Scope; readonly validity: TicketValidity } | null;
  readonly hasLease: boolean;
  readonly evidence: readonly string[];
}

/** The steps that an action takes, in their order. Each is recorded before the next begins. */
export interface ActionPlan {
  readonly sessionId: string;
  readonly ticketId: string;
  readonly action: GovernedAction;
  readonly steps: readonly ["authorize", "execute", "audit", "seal"];
  readonly audits: readonly ["action_authorized", "action_executed", "action_result_sealed"];
}

/** Looks at the file system for links; nothing else outside of the law counts. */
export function checkAction(governance: Governance, action: GovernedAction, context: ActionContext): LawVerdict {
  const { compiled } = governance;
  const { ticket, hasLease, evidence } = context;
  const { root = "/", home = null } = compiled?.places ?? {};
  const spelled = /^(\/|~\/|~$)/.test(action.path) ? action.path : `${root}/${action.path}`;
  return judgeLaw(compiled, {
    verb: action.verb,
    path: action.path,
    resolved: resolvedPath(spelled, home),
    ticket: ticket === null ? null : { scope: ticket.scope, faults: ticket.validity.reasons },
    hasLease,
    evidence,
  });
}

/** A question becomes a yes when all that it requires is there, and a no otherwise. Other verdicts stay. */
export function resolveRequirements(verdict: LawVerdict, evidence: readonly string[]): LawVerdict {
  if (verdict.verdict !== "ask") return verdict;
  const missing = verdict.requires.filter((one) => !evidence.includes(one));
  if (missing.length === 0) return { ...verdict, verdict: "allow", reason: "", requires: [] };
  return { ...verdict, verdict: "deny", reason: `Evidence is missing: ${missing.join(", ")}.`, requires: missing };
}

export function commitPlan(
  session: Pick<GovernanceSession, "id">,
  ticket: Pick<MintedTicket, "id">,
  action: GovernedAction,
): ActionPlan {
  return {
    sessionId: session.id,
    ticketId: ticket.id,
    action,
    steps: ["authorize", "execute", "audit", "seal"],
    audits: ["action_authorized", "action_executed", "action_result_sealed"],
  };
}
