import { createHash, randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { NomosError, refusalError } from "../../contract/index.ts";
import {
  beatLease,
  checkLease,
  claimLease,
  endLease,
  isFree,
  LEASE_LIMITS,
  type Lease,
  type LeaseHolder,
  type LeaseWish,
} from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { isRefusal, type Refusal } from "../../kernel/index.ts";
import type { SharedPlace } from "../refs/ref-documents.ts";
import type { RefPlace } from "../refs/ref-place.ts";
import type { Refs } from "../refs/refs.ts";
import { createLeaseRefs, type KnownLeases } from "./lease-refs.ts";

/** The repository of a ticket. Any `Governed` is one. */
export interface LeasedRepository {
  readonly repository: RefPlace;
  /** The default branch. */
  readonly branch: string;
}

export interface LeaseClaim {
  readonly owner: string;
  readonly role?: string;
  readonly sessionId?: string | null;
  readonly minutes?: number;
}

export interface HeldLease extends Lease {
  readonly until: string;
}

/**
 * Leases of tickets, in the refs of a repository: no daemon is needed, and all worktrees of a clone see the same. With a
 * remote, all clones do. Refusals are thrown: `ticket_leased`, `lease_lost`, `lease_duration_invalid`, `lease_rewound`,
 * `lease_damaged`, `lease_remote_failed`.
 */
export interface Leases {
  /** Claims a free ticket. The same session, or the same owner without one, renews in the clone it claimed in. */
  readonly claim: (governed: LeasedRepository, ticketId: string, claim: LeaseClaim) => Promise<HeldLease>;
  /** Keeps the fence, never shortens. */
  readonly heartbeat: (governed: LeasedRepository, ticketId: string, holder: TimedHolder) => Promise<HeldLease>;
  /** A new term with a new fence. */
  readonly renew: (governed: LeasedRepository, ticketId: string, holder: TimedHolder) => Promise<HeldLease>;
  /** Released before: nothing happens. */
  readonly release: (governed: LeasedRepository, ticketId: string, holder: LeaseHolder) => Promise<HeldLease>;
  /** The last lease, live or not; `isFresh` asks the remote first. */
  readonly holder: (
    governed: LeasedRepository,
    ticketId: string,
    options?: { readonly isFresh?: boolean },
  ) => Promise<HeldLease | null>;
  /** Null where whoever has this fence may write. Reads two small files: it is asked at every write. */
  readonly check: (governed: LeasedRepository, ticketId: string, fence: number) => Promise<Refusal | null>;
  /** Like `check`, by what the remote has now: for what cannot be taken back. */
  readonly confirm: (governed: LeasedRepository, ticketId: string, fence: number) => Promise<Refusal | null>;
  /** Brings what the remote has of all tickets, for a list. Does nothing without a remote. */
  readonly refresh: (governed: LeasedRepository) => Promise<void>;
  /** The last lease of each ticket, live or not. */
  readonly list: (governed: LeasedRepository) => Promise<readonly HeldLease[]>;
}

export interface TimedHolder extends LeaseHolder {
  readonly minutes?: number;
}

export interface LeasesOptions {
  readonly refs: Refs;
  readonly clock: Clock;
  /** The machine's name. */
  readonly host: string;
  /** `leases.remote` of the configuration. */
  readonly remoteOf: (governed: LeasedRepository) => Promise<string | null>;
}

type Decide = (known: KnownLeases, nowMs: number) => Lease | Refusal;

const TRIES_MAX = 8;
const TRY_AGAIN_MS = 20;
/** What the remote may know better. */
const OPEN_TO_DOUBT = ["ticket_leased", "lease_lost"];
const DEADLINES_MAX = 10_000;

export function createLeases({ refs, clock, host, remoteOf }: LeasesOptions): Leases {
  const leaseRefs = createLeaseRefs(refs.local, refs.remote);
  /** When leases of this process end by a clock that nobody sets. */
  const deadlines = new Map<string, number>();
  const keyOf = ({ repository }: LeasedRepository, { ticketId, fence }: Pick<Lease, "ticketId" | "fence">): string =>
    [repository.commonDir, ticketId, fence].join("\0");
  const told = (lease: Lease): HeldLease => ({ ...lease, until: clock.iso(lease.untilMs) });
  const alone = ({ repository }: LeasedRepository): SharedPlace => ({ repository, remote: null });
  /** A lease that lives is decided where it is shared, also when the configuration cannot be read or has changed. */
  const placeOf = async (governed: LeasedRepository, ticketId: string): Promise<SharedPlace> => {
    const newest = await leaseRefs.lastSeen(governed, ticketId);
    const shared = newest === null || isFree(newest, clock.nowMs()) ? null : newest.remote;
    return { repository: governed.repository, remote: (await remoteOf(governed)) ?? shared };
  };
  /** As the remote has it, where there is one. */
  const latest = (place: SharedPlace, ticketId: string): Promise<KnownLeases> =>
    place.remote === null ? leaseRefs.here(place, ticketId) : leaseRefs.there(place, place.remote, ticketId);

  const change = async (governed: LeasedRepository, ticketId: string, decide: Decide): Promise<HeldLease> => {
    const place = await placeOf(governed, ticketId);
    let known = await leaseRefs.here(place, ticketId);
    let isNew = place.remote === null;
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      const [nowMs, steadyMs] = [clock.nowMs(), clock.steadyMs()];
      const lease = decide(known, nowMs);
      if (isRefusal(lease) && (isNew || !OPEN_TO_DOUBT.includes(lease.refused))) throw refusalError(lease);
      const isDone = !isRefusal(lease) && (lease === known.newest ? isNew : await leaseRefs.write(place, known, lease));
      if (!isRefusal(lease) && isDone) {
        remember(keyOf(governed, lease), steadyMs + lease.untilMs - nowMs);
        return told({ ...lease, remote: place.remote });
      }
      // Claims that meet again and again part by chance.
      if (tries > 1) await clock.sleep(Math.random() * TRY_AGAIN_MS * tries);
      known = await latest(place, ticketId);
      isNew = true;
    }
    throw new NomosError("ref_conflict", { ticket: ticketId });
  };
  const remember = (key: string, deadlineMs: number): void => {
    deadlines.delete(key);
    deadlines.set(key, deadlineMs);
    const [oldest] = deadlines.keys();
    if (deadlines.size > DEADLINES_MAX && oldest !== undefined) deadlines.delete(oldest);
  };
  const judge = (governed: LeasedRepository, ticketId: string, fence: number, lease: Lease | null): Refusal | null => {
    const deadlineMs = deadlines.get(keyOf(governed, { ticketId, fence })) ?? Number.POSITIVE_INFINITY;
    // A wall clock that was set back does not make a lease longer.
    const nowMs = clock.steadyMs() < deadlineMs ? clock.nowMs() : Number.POSITIVE_INFINITY;
    return checkLease(lease, ticketId, fence, nowMs);
  };
  /** Somebody else's record may have the same fence, after a ref was moved by hand. */
  const heldBy = async (governed: LeasedRepository, ticketId: string, holder: LeaseHolder): Promise<LeaseHolder> => {
    const { newest } = await leaseRefs.here(alone(governed), ticketId);
    const clone = await cloneOf(host, governed.repository);
    return { ...holder, clone, ...(newest?.fence === holder.fence ? { nonce: newest.nonce } : {}) };
  };
  const wishOf = async (governed: LeasedRepository, ticketId: string, claim: LeaseClaim): Promise<LeaseWish> => ({
    ticketId,
    owner: claim.owner,
    role: claim.role ?? "developer",
    sessionId: claim.sessionId ?? null,
    minutes: claim.minutes ?? LEASE_LIMITS.minutesUsual,
    baseBranch: governed.branch,
    nonce: randomBytes(NONCE_BYTES).toString("hex"),
    host,
    clone: await cloneOf(host, governed.repository),
  });
  return {
    claim: async (governed, ticketId, claim) => {
      const wish = await wishOf(governed, ticketId, claim);
      return change(governed, ticketId, ({ all }, nowMs) => claimLease(all, wish, nowMs));
    },
    heartbeat: async (governed, ticketId, holder) => {
      const held = await heldBy(governed, ticketId, holder);
      return change(governed, ticketId, ({ newest }, nowMs) => beatLease(newest, held, nowMs, holder.minutes));
    },
    renew: async (governed, ticketId, holder) => {
      const held = await heldBy(governed, ticketId, holder);
      const wish = await wishOf(governed, ticketId, holder);
      return change(governed, ticketId, ({ all, newest }, nowMs) => {
        const beaten = beatLease(newest, held, nowMs, holder.minutes);
        if (isRefusal(beaten)) return beaten;
        const { role, sessionId, minutes } = beaten;
        return claimLease(all, { ...wish, role, sessionId, minutes }, nowMs);
      });
    },
    release: async (governed, ticketId, holder) => {
      const held = await heldBy(governed, ticketId, holder);
      return change(governed, ticketId, ({ newest }, nowMs) => endLease(newest, held, nowMs));
    },
    holder: async (governed, ticketId, { isFresh = false } = {}) => {
      const { newest } = await (isFresh
        ? latest(await placeOf(governed, ticketId), ticketId)
        : leaseRefs.here(alone(governed), ticketId));
      return newest === null ? null : told(newest);
    },
    check: async (governed, ticketId, fence) => {
      const { newest } = await leaseRefs.here(alone(governed), ticketId);
      return judge(governed, ticketId, fence, newest);
    },
    confirm: async (governed, ticketId, fence) => {
      const { newest } = await latest(await placeOf(governed, ticketId), ticketId);
      return judge(governed, ticketId, fence, newest);
    },
    refresh: async (governed) => {
      const remote = await remoteOf(governed);
      if (remote !== null) await leaseRefs.refresh({ repository: governed.repository, remote }, remote);
    },
    list: async (governed) => (await leaseRefs.list(governed)).map(told),
  };
}

const NONCE_BYTES = 12;
const CLONE_DIGITS = 12;

/** The inode tells apart containers that have the same name and path. */
async function cloneOf(host: string, { commonDir }: RefPlace): Promise<string> {
  const { ino } = await stat(commonDir);
  return createHash("sha256").update([host, commonDir, ino].join("\0")).digest("hex").slice(0, CLONE_DIGITS);
}
