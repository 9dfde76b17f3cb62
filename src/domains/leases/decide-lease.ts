import { type Refusal, refuse } from "../../kernel/index.ts";
import { writeIsoTime } from "./iso-time.ts";
import { belongsTo, compareLeases, isFree, isLive, LEASE_GRACE_MS, LEASE_LIMITS, type Lease } from "./lease.ts";

/** Who wants a lease, and for how long. */
export interface LeaseWish {
  readonly ticketId: string;
  readonly owner: string;
  readonly role: string;
  readonly sessionId: string | null;
  readonly host: string;
  readonly clone: string;
  readonly baseBranch: string;
  readonly nonce: string;
  readonly minutes: number;
}

/** A holder who shows the fence that it got. */
export interface LeaseHolder {
  readonly owner: string;
  readonly fence: number;
  /** Compared where both sides name one. */
  readonly sessionId?: string | null;
  readonly nonce?: string;
  /** Where it asks from. */
  readonly clone?: string;
}

/**
 * Claims a ticket that is free, or renews an own lease; both raise the fence above all that are known. `known`: each
 * record that counts: the one of the ref, ExoProtocol's, and the highest that this clone has seen.
 */
export function claimLease(known: readonly Lease[], wish: LeaseWish, nowMs: number): Lease | Refusal {
  if (!isDuration(wish.minutes)) return durationInvalid(wish.minutes);
  const held = known.find((one) => !isFree(one, nowMs) && !isSameHolder(one, wish));
  if (held !== undefined) return refuse("ticket_leased", holderOf(held));
  const last = known.toSorted(compareLeases).at(-1);
  const fence = (last?.fence ?? 0) + 1;
  if (fence > LEASE_LIMITS.fenceMax)
    return refuse("lease_damaged", { ticket: wish.ticketId, reason: "its fence is at the limit" });
  const renewed = last !== undefined && last.releasedMs === null && isSameHolder(last, wish) ? last : null;
  return {
    ...wish,
    owner: renewed?.owner ?? wish.owner,
    remote: renewed?.remote ?? null,
    createdMs: renewed?.createdMs ?? nowMs,
    updatedMs: nowMs,
    heartbeatMs: nowMs,
    // Never earlier than before: whoever was killed while it renewed has left a clone that knows the old end.
    untilMs: Math.max(renewed?.untilMs ?? 0, wholeSeconds(nowMs + wish.minutes * MINUTE_MS)),
    fence,
    serial: (last?.serial ?? 0) + 1,
    releasedMs: null,
  };
}

/** Keeps the fence and never shortens the lease. One that ended is taken up again where nobody took it meanwhile. */
export function beatLease(
  lease: Lease | null,
  holder: LeaseHolder,
  nowMs: number,
  minutes = lease?.minutes ?? LEASE_LIMITS.minutesUsual,
): Lease | Refusal {
  if (!isDuration(minutes)) return durationInvalid(minutes);
  if (lease === null || lease.releasedMs !== null || !isHeldBy(lease, holder)) return notHeld(lease, holder, nowMs);
  return {
    ...lease,
    minutes,
    updatedMs: nowMs,
    heartbeatMs: nowMs,
    untilMs: Math.max(lease.untilMs, wholeSeconds(nowMs + minutes * MINUTE_MS)),
    serial: lease.serial + 1,
  };
}

/**
 * The lease stays, with an end in the past: also for ExoProtocol, whose clock may be behind. The same lease comes back
 * where it was released before.
 */
export function endLease(lease: Lease | null, holder: LeaseHolder, nowMs: number): Lease | Refusal {
  if (lease === null || !isHeldBy(lease, holder)) return notHeld(lease, holder, nowMs);
  if (lease.releasedMs !== null) return lease;
  // The clone that holds it does not see the release at once: there, writes would go on beside the next holder's.
  const { clone = lease.clone } = holder;
  if (lease.clone !== null && lease.clone !== clone && !isFree(lease, nowMs))
    return refuse("ticket_leased", holderOf(lease));
  const untilMs = Math.min(lease.untilMs, wholeSeconds(nowMs - LEASE_GRACE_MS));
  return { ...lease, updatedMs: nowMs, releasedMs: nowMs, untilMs, serial: lease.serial + 1 };
}

/** Null where whoever has this fence may write now. */
export function checkLease(lease: Lease | null, ticketId: string, fence: number, nowMs: number): Refusal | null {
  if (lease !== null && lease.fence === fence && isLive(lease, nowMs)) return null;
  return lost(lease, ticketId, fence, nowMs);
}

/** Another clone does not see a new fence at once, so it never renews, whatever it calls itself. */
function isSameHolder(lease: Lease, { owner, sessionId, clone }: LeaseWish): boolean {
  return belongsTo(lease.owner, owner) && lease.sessionId === sessionId && lease.clone === clone;
}

function isHeldBy(lease: Lease, { owner, fence, sessionId = null, nonce = lease.nonce }: LeaseHolder): boolean {
  const isSession = sessionId === null || lease.sessionId === null || lease.sessionId === sessionId;
  return lease.fence === fence && lease.nonce === nonce && belongsTo(lease.owner, owner) && isSession;
}

function notHeld(lease: Lease | null, { owner, fence }: LeaseHolder, nowMs: number): Refusal {
  const isOthers = lease !== null && !belongsTo(lease.owner, owner) && isLive(lease, nowMs);
  return isOthers ? refuse("ticket_leased", holderOf(lease)) : lost(lease, lease?.ticketId ?? null, fence, nowMs);
}

function lost(lease: Lease | null, ticket: string | null, fence: number, nowMs: number): Refusal {
  const now = lease === null ? null : { ...holderOf(lease), isLive: isLive(lease, nowMs) };
  return refuse("lease_lost", { ticket, fence, now });
}

/** What a refusal tells of the present holder. */
function holderOf({ ticketId, owner, sessionId, host, fence, untilMs }: Lease): Refusal["details"] {
  return { ticket: ticketId, owner, session: sessionId, host, fence, until: writeIsoTime(untilMs) };
}

const MINUTE_MS = 60_000;
const wholeSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;

function isDuration(minutes: number): boolean {
  const { minutesMin, minutesMax } = LEASE_LIMITS;
  return Number.isInteger(minutes) && minutes >= minutesMin && minutes <= minutesMax;
}

function durationInvalid(minutes: number): Refusal {
  const { minutesMin, minutesMax } = LEASE_LIMITS;
  return refuse("lease_duration_invalid", { minutes, minutesMin, minutesMax });
}
