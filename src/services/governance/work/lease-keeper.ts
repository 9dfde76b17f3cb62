import { type NomosError, toNomosError } from "../../../contract/index.ts";
import { LEASE_LIMITS } from "../../../domains/index.ts";
import type { LeasedRepository, Leases } from "../../../governance/index.ts";
import type { Clock } from "../../../host/index.ts";

/** A lease that lives as long as its session does. */
export interface KeptLease {
  readonly sessionId: string;
  readonly ticketId: string;
  readonly governed: LeasedRepository;
  readonly owner: string;
  readonly fence: number;
}

export interface LeaseKeeperDeps {
  readonly clock: Pick<Clock, "nowMs" | "after" | "sleep">;
  readonly leases: Pick<Leases, "holder" | "heartbeat">;
  /** Those that are to be kept now. */
  readonly kept: () => Promise<readonly KeptLease[]>;
  /** Somebody else has the ticket, or the lease was released. */
  readonly lost: (lease: KeptLease, refusal: NomosError) => Promise<void>;
  readonly log: (message: string, details: object) => void;
}

/** Beats leases of living sessions every third of their term, and notices one that is lost. */
export interface LeaseKeeper {
  readonly start: () => void;
  /** Looks at all of them now. Resolves when none is under way that began in this look. */
  readonly look: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const LOOK_MS = 10_000;
const BEATS_A_TERM = 3;
const MINUTE_MS = 60_000;
/** A remote that hangs must not keep other repositories waiting, nor a thousand sessions start a thousand pushes. */
const BEATS_AT_ONCE = 8;
const STOP_WAIT_MS = 3000;
const LOST = ["lease_lost", "ticket_leased", "ticket_not_found"];

export function createLeaseKeeper({ clock, leases, kept, lost, log }: LeaseKeeperDeps): LeaseKeeper {
  const underWay = new Map<string, Promise<void>>();
  /** Told once until it works again. */
  const failing = new Set<string>();
  let isStopped = false;
  let cancel: () => void = () => undefined;

  const isDue = async ({ governed, ticketId, fence }: KeptLease): Promise<boolean> => {
    const newest = await leases.holder(governed, ticketId);
    if (newest === null || newest.fence !== fence || newest.releasedMs !== null) return true;
    const term = Math.min(newest.minutes, LEASE_LIMITS.minutesMax) * MINUTE_MS;
    return clock.nowMs() >= Math.min(newest.heartbeatMs + term / BEATS_A_TERM, newest.untilMs);
  };
  const beat = async (lease: KeptLease): Promise<void> => {
    const { governed, ticketId, owner, fence, sessionId } = lease;
    try {
      if (isStopped || !(await isDue(lease))) return;
      await leases.heartbeat(governed, ticketId, { owner, fence, sessionId });
      failing.delete(sessionId);
    } catch (thrown) {
      const refusal = toNomosError(thrown);
      const { code, message } = refusal;
      if (LOST.includes(code)) return lost(lease, refusal);
      if (!failing.has(sessionId)) log("a lease could not be kept", { sessionId, ticketId, code, reason: message });
      failing.add(sessionId);
    }
  };
  const look = async (): Promise<void> => {
    const all = await kept();
    const known = new Set(all.map(({ sessionId }) => sessionId));
    for (const sessionId of failing) if (!known.has(sessionId)) failing.delete(sessionId);
    const waiting = all.filter(({ sessionId }) => !underWay.has(sessionId));
    const work = async (): Promise<void> => {
      for (let lease = waiting.shift(); lease !== undefined; lease = waiting.shift()) {
        const { sessionId } = lease;
        // A later look was faster.
        if (underWay.has(sessionId)) continue;
        const mine = beat(lease).finally(() => underWay.delete(sessionId));
        underWay.set(sessionId, mine);
        await mine;
      }
    };
    await Promise.all(Array.from({ length: Math.min(BEATS_AT_ONCE, waiting.length) }, work));
  };
  const lookSafely = (): Promise<void> =>
    look().catch((thrown: unknown) => log("leases could not be looked at", { reason: String(thrown) }));
  const tick = (): void => {
    cancel = clock.after(LOOK_MS, () => {
      // The next look does not wait for a remote that hangs in this one.
      void lookSafely();
      if (!isStopped) tick();
    });
  };
  return {
    start: tick,
    look: lookSafely,
    stop: async () => {
      isStopped = true;
      cancel();
      await Promise.race([Promise.allSettled(underWay.values()), clock.sleep(STOP_WAIT_MS)]);
    },
  };
}
