import { isTicketId, parseScope, type Scope } from "../../domains/index.ts";
import { isRefusal } from "../../kernel/index.ts";
import type { Governance } from "./governance.ts";

/** Who works, and where. Nothing is stored. */
export interface GovernanceSession {
  readonly id: string;
  readonly root: string;
  readonly actor: string;
  readonly openedMs: number;
}

/** A ticket for one intent and a time, under one law. It is in no file. */
export interface MintedTicket {
  readonly id: string;
  readonly sessionId: string;
  readonly intent: string;
  readonly scope: Scope;
  readonly mintedMs: number;
  readonly untilMs: number;
  readonly nonce: string;
  /** Hash of the lock it was minted under. */
  readonly law: string;
}

export interface TicketValidity {
  readonly valid: boolean;
  readonly reasons: readonly string[];
}

const MINTED_TTL_MS = { min: 60_000, max: 604_800_000 } as const;

export function openSession(opened: {
  readonly newId: () => string;
  readonly root: string;
  readonly actor: string;
  readonly nowMs: number;
}): GovernanceSession {
  return { id: opened.newId(), root: opened.root, actor: opened.actor, openedMs: opened.nowMs };
}

/** A time to live out of bounds is brought within them. */
export function mintTicket(
  session: GovernanceSession,
  wish: { readonly intent: string; readonly scope: Scope; readonly ttlMs: number },
  made: { readonly law: string; readonly nonce: string; readonly nowMs: number },
): MintedTicket {
  const ttlMs = Math.min(Math.max(wish.ttlMs, MINTED_TTL_MS.min), MINTED_TTL_MS.max);
  return {
    id: `REQ-${made.nonce}`,
    sessionId: session.id,
    intent: wish.intent,
    scope: wish.scope,
    mintedMs: made.nowMs,
    untilMs: made.nowMs + ttlMs,
    nonce: made.nonce,
    law: made.law,
  };
}

/** A minted ticket counts for its time and under the law it was minted under; any other by its id and scope. */
export function validateTicket(
  governance: Governance,
  ticket: MintedTicket | { readonly id: string; readonly scope: Scope },
  nowMs: number,
): TicketValidity {
  const scope = parseScope(ticket.scope);
  const reasons = [
    ...(governance.law === null ? ["the law does not verify"] : []),
    ...(isRefusal(scope) ? ["its scope is no scope"] : []),
    ...("nonce" in ticket
      ? mintedReasons(governance, ticket, nowMs)
      : isTicketId(ticket.id)
        ? []
        : ["its id is no ticket's"]),
  ];
  return { valid: reasons.length === 0, reasons };
}

function mintedReasons({ law }: Governance, ticket: MintedTicket, nowMs: number): readonly string[] {
  return [
    ...(ticket.nonce === "" || ticket.id !== `REQ-${ticket.nonce}` ? ["it has no nonce of its own"] : []),
    ...(ticket.intent.trim() === "" ? ["it names no intent"] : []),
    ...(nowMs >= ticket.untilMs ? ["its time is over"] : []),
    ...(nowMs < ticket.mintedMs ? ["it was minted in the future"] : []),
    ...(law !== null && law.lock.hash !== ticket.law ? ["it was minted under another law"] : []),
  ];
}
