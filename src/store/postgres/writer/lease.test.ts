import { afterEach, beforeEach, expect, vi } from "vitest";
import { proves } from "../../../../test/support/proves.ts";
import type { StoreError } from "../../port.ts";
import { claimLease, RENEWALS_PER_TTL } from "./lease.ts";

const TTL_MS = 1000;
const RENEW_MS = TTL_MS / RENEWALS_PER_TTL;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A database that answers as told; what it was asked is in `asked`. */
async function leaseHere() {
  const database = { kept: true, silent: false };
  const asked: string[] = [];
  const lost: StoreError[] = [];
  const sql = async (text: string) => {
    asked.push(text.trim().split(/\s/)[0] ?? "");
    if (database.silent) return new Promise<never>(() => undefined);
    return database.kept ? [{ claim: "c" }] : [];
  };
  const options = { holder: "home", ttlMs: TTL_MS, waitMs: 0 };
  const lease = await claimLease(sql, options, (error) => lost.push(error));
  return { database, asked, lost, lease };
}

proves("PG-3", "a held lease is renewed several times within its life, for as long as it is held", async () => {
  const { asked, lost, lease } = await leaseHere();
  await vi.advanceTimersByTimeAsync(10 * TTL_MS);
  expect(asked.filter((verb) => verb === "UPDATE")).toHaveLength(10 * RENEWALS_PER_TTL);
  expect(lost).toEqual([]);
  await lease.release();
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(10 * TTL_MS);
  expect([asked.length, lost]).toEqual([before, []]);
});

proves("PG-3", "another daemon has taken the lease: the next renewal ends this one, once", async () => {
  const { database, lost, asked } = await leaseHere();
  database.kept = false;
  await vi.advanceTimersByTimeAsync(RENEW_MS);
  expect(lost.map(({ code }) => code)).toEqual(["stale_fence"]);
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(10 * TTL_MS);
  expect([asked.length, lost.length]).toEqual([before, 1]);
});

proves("PG-3", "the database is silent: the lease ends by this daemon's own clock before the database's", async () => {
  const { database, lost } = await leaseHere();
  await vi.advanceTimersByTimeAsync(RENEW_MS);
  database.silent = true;
  await vi.advanceTimersByTimeAsync(TTL_MS - 1);
  expect(lost).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(lost.map(({ code }) => code)).toEqual(["store_unreachable"]);
});

proves("PG-3", "a transaction that finds a higher fence ends the lease; its own fence does not", async () => {
  const { lost, lease } = await leaseHere();
  lease.seeFence(7);
  lease.holdFence(7);
  lease.seeFence(7);
  expect(lost).toEqual([]);
  lease.seeFence(8);
  expect(lost.map(({ code }) => code)).toEqual(["stale_fence"]);
  await lease.release();
});

proves("PG-3", "a lease that another daemon holds is refused after the wait, with its holder", async () => {
  const sql = async (text: string) => (text.startsWith("SELECT") ? [{ holder: "other", left_ms: 30 }] : []);
  const claimed = claimLease(sql, { holder: "home", ttlMs: TTL_MS, waitMs: 0 }, () => undefined);
  await expect(claimed).rejects.toMatchObject({ code: "home_in_use", details: { heldBy: "other", leaseEndsInMs: 30 } });
});
