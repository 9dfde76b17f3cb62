import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { HOME_LEASE } from "../../../domains/index.ts";
import { StoreError } from "../../port.ts";
import { asStoreError } from "../connection/translate-error.ts";
import type { Sql } from "../reads/event-pages.ts";

/**
 * The lease of the log, by the database's clock. It expires unless it is renewed; another daemon can take it only then
 * or after a release. The fence in the log stops late writes.
 */
export interface Lease {
  readonly claim: string;
  /** Called with the fence that each transaction finds: a higher one means that another daemon has taken over. */
  readonly seeFence: (fence: number) => void;
  /** Sets the fence that was taken under this lease. */
  readonly holdFence: (fence: number) => void;
  readonly release: () => Promise<void>;
}

export interface LeaseOptions {
  /** Names the home. A daemon of the same home holds the home lock, so the earlier holder of this name is dead. */
  readonly holder: string;
  readonly ttlMs: number;
  /** How long to wait for another daemon to release the lease. */
  readonly waitMs: number;
}

const LOOK_AGAIN_MAX_MS = 500;
/** How often a lease is renewed within its lifetime. */
export const RENEWALS_PER_TTL = 4;

export async function claimLease(
  sql: Sql,
  { holder, ttlMs, waitMs }: LeaseOptions,
  onLost: (error: StoreError) => void,
): Promise<Lease> {
  const claim = randomUUID();
  let fence = Number.POSITIVE_INFINITY;
  let isOver = false;
  let renewing: NodeJS.Timeout | undefined;
  let ending: NodeJS.Timeout | undefined;
  let failure: StoreError | null = null;

  const end = (): void => {
    isOver = true;
    clearTimeout(renewing);
    clearTimeout(ending);
  };
  const lose = (error: StoreError): void => {
    if (isOver) return;
    end();
    onLost(error);
  };
  const runOut = (): void => {
    const { code = "store_unreachable", details = {} } = failure ?? {};
    lose(new StoreError(code, { ...details, problem: "the lease ran out before it could be renewed" }));
  };
  /** Uses our own clock, from before the request was sent: our lease ends before the database's does. */
  const hold = (askedMs: number): void => {
    clearTimeout(ending);
    ending = setTimeout(runOut, askedMs + ttlMs - performance.now());
    failure = null;
  };
  const renewSoon = (): void => {
    renewing = setTimeout(() => void renew(), ttlMs / RENEWALS_PER_TTL);
  };
  const renew = async (): Promise<void> => {
    const askedMs = performance.now();
    try {
      const [kept] = await sql(RENEW, HOME_LEASE, claim, ttlMs);
      if (isOver) return;
      if (kept === undefined) lose(new StoreError("stale_fence", { reason: "another daemon has taken the lease" }));
      else hold(askedMs);
    } catch (cause) {
      failure = asStoreError(cause);
    }
    if (!isOver) renewSoon();
  };

  hold(await untilClaimed(sql, { holder, ttlMs, waitMs }, claim));
  renewSoon();
  return {
    claim,
    seeFence: (found) => {
      if (found > fence)
        lose(new StoreError("stale_fence", { fence, current: found, reason: "another daemon has taken over" }));
    },
    holdFence: (taken) => {
      fence = taken;
    },
    release: async () => {
      if (isOver) return;
      end();
      await sql(RELEASE, HOME_LEASE, claim);
    },
  };
}

/** Returns the time, by our own clock, at which the successful claim was sent. */
async function untilClaimed(sql: Sql, { holder, ttlMs, waitMs }: LeaseOptions, claim: string): Promise<number> {
  const giveUpMs = performance.now() + waitMs;
  while (true) {
    const askedMs = performance.now();
    const [taken] = await sql(CLAIM, HOME_LEASE, holder, claim, ttlMs);
    if (taken !== undefined) return askedMs;
    const [held] = await sql(HOLDER, HOME_LEASE);
    const leftMs = Number(held?.["left_ms"] ?? 0);
    if (performance.now() >= giveUpMs)
      throw new StoreError("home_in_use", { heldBy: String(held?.["holder"] ?? ""), leaseEndsInMs: leftMs });
    await sleep(Math.min(LOOK_AGAIN_MAX_MS, Math.max(giveUpMs - performance.now(), 1)));
  }
}

const ENDS = (ttl: string): string => `clock_timestamp() + ${ttl}::double precision * interval '1 millisecond'`;
const CLAIM = `
  INSERT INTO leases AS l (resource, holder, claim, expires_at) VALUES ($1, $2, $3::uuid, ${ENDS("$4")})
  ON CONFLICT (resource) DO UPDATE SET holder = excluded.holder, claim = excluded.claim, expires_at = excluded.expires_at
  WHERE l.holder IS NULL OR l.holder = excluded.holder OR l.expires_at <= clock_timestamp() RETURNING claim`;
const HOLDER =
  "SELECT holder, ceil(extract(epoch FROM expires_at - clock_timestamp()) * 1000)::integer AS left_ms FROM leases WHERE resource = $1";
const RENEW = `UPDATE leases SET expires_at = ${ENDS("$3")} WHERE resource = $1 AND claim = $2::uuid RETURNING claim`;
const RELEASE = "UPDATE leases SET holder = NULL, claim = NULL WHERE resource = $1 AND claim = $2::uuid";
