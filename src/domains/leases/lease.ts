/** The right to work on a ticket, for a time. A released lease stays as a record, so that its fence never restarts. */
export interface Lease {
  readonly ticketId: string;
  /** Such as `agent:claude`. A worker `agent:claude:1` belongs to it, `agent:claude1` does not. */
  readonly owner: string;
  readonly role: string;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly heartbeatMs: number;
  /** Nobody writes under the lease from here on. */
  readonly untilMs: number;
  /** Rises with each claim and renewal. A heartbeat keeps it. */
  readonly fence: number;
  readonly baseBranch: string;
  /** Names one claim, so that two of them never are the same record. */
  readonly nonce: string;
  /** Null: held by a person or a program, without a session. */
  readonly sessionId: string | null;
  readonly host: string | null;
  /** The clone that it was claimed in. */
  readonly clone: string | null;
  /** Shared by this remote: as long as it lives, nothing about it is decided without it. */
  readonly remote: string | null;
  readonly minutes: number;
  /** Rises with each change, also with a heartbeat. 0 in a record of ExoProtocol. */
  readonly serial: number;
  readonly releasedMs: number | null;
}

export const LEASE_LIMITS = {
  minutesMin: 1,
  minutesMax: 10_080,
  minutesUsual: 120,
  fenceMax: 1_000_000_000_000,
} as const;

/**
 * Two clocks may differ by so much: a lease is taken over only this long after its end. Its holder stops at the end by
 * its own clock.
 */
export const LEASE_GRACE_MS = 60_000;

/** `agent:x` and its workers `agent:x:1`, but not `agent:x1`. */
export function belongsTo(owner: string, actor: string): boolean {
  return actor === owner || actor.startsWith(`${owner}:`);
}

/** Whether writes under the lease count now. */
export function isLive(lease: Lease, nowMs: number): boolean {
  return lease.releasedMs === null && nowMs < lease.untilMs && !isImpossible(lease, nowMs);
}

/** Whether somebody else may take it. Between its end and then it is nobody's. */
export function isFree(lease: Lease, nowMs: number): boolean {
  const { releasedMs, untilMs } = lease;
  return releasedMs !== null || nowMs >= untilMs + LEASE_GRACE_MS || isImpossible(lease, nowMs);
}

/** No claim and no heartbeat reaches so far ahead: such a record was forged, and would hold its ticket for ever. */
function isImpossible({ untilMs }: Lease, nowMs: number): boolean {
  return untilMs > nowMs + LEASE_LIMITS.minutesMax * MINUTE_MS + LEASE_GRACE_MS;
}

const MINUTE_MS = 60_000;

/** Which of two records of one ticket is newer: above 0 where `a` is. */
export function compareLeases(a: Lease, b: Lease): number {
  return a.fence - b.fence || a.serial - b.serial || a.updatedMs - b.updatedMs;
}
