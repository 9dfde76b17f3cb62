import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { isRefusal, type Refusal } from "../../kernel/index.ts";
import { beatLease, checkLease, claimLease, endLease, type LeaseWish } from "./decide-lease.ts";
import { belongsTo, isFree, isLive, LEASE_GRACE_MS, LEASE_LIMITS, type Lease } from "./lease.ts";

const NOW = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const T = "TKT-20260101-120000-AB12";

const wish = (owner: string, more: Partial<LeaseWish> = {}): LeaseWish => ({
  ticketId: T,
  owner,
  role: "developer",
  sessionId: null,
  host: "here",
  clone: "c1",
  baseBranch: "main",
  nonce: "n1",
  minutes: 60,
  ...more,
});

function got<One>(given: One | Refusal): One {
  if (isRefusal(given)) throw new Error(`refused: ${given.refused}`);
  return given;
}
const refusal = (code: string, details = {}) => ({ refused: code, details: expect.objectContaining(details) });

proves("GR-1", "case 12: one owner renews, another is refused, a heartbeat keeps the fence, no time is refused", () => {
  const first = got(claimLease([], wish("a"), NOW));
  expect(first.fence).toBe(1);
  const second = got(claimLease([first], wish("a", { nonce: "n2" }), NOW + 1));
  expect(second).toMatchObject({ fence: 2, createdMs: NOW, serial: 2 });
  // LOCK_COLLISION there.
  expect(claimLease([second], wish("b"), NOW + 2)).toEqual(
    refusal("ticket_leased", { owner: "a", fence: 2, ticket: T }),
  );
  // LOCK_HELD there, because it has one lock for all tickets. Here each ticket has its own.
  expect(claimLease([], wish("b", { ticketId: "TKT-20260101-120000-ZZ99" }), NOW + 2)).toMatchObject({ fence: 1 });
  expect(beatLease(second, { owner: "a", fence: 2 }, NOW + 3)).toMatchObject({ fence: 2, serial: 3 });
  // LOCK_OWNER_MISMATCH there.
  expect(beatLease(second, { owner: "b", fence: 2 }, NOW + 3)).toEqual(refusal("ticket_leased", { owner: "a" }));
  for (const minutes of [0, -1, 0.5, Number.NaN, LEASE_LIMITS.minutesMax + 1])
    for (const refused of [
      claimLease([], wish("a", { minutes }), NOW),
      beatLease(second, { owner: "a", fence: 2 }, NOW, minutes),
    ])
      expect(refused).toEqual(refusal("lease_duration_invalid", { minutesMin: 1 }));
});

proves("GR-1", "case 13: claim 1, renew 2, heartbeat 2, and after the release another owner gets 3 and not 1", () => {
  const claimed = got(claimLease([], wish("a"), NOW));
  expect(claimLease([claimed], wish("b", { clone: "c2" }), NOW)).toEqual(refusal("ticket_leased"));
  const renewed = got(claimLease([claimed], wish("a"), NOW));
  const beaten = got(beatLease(renewed, { owner: "a", fence: 2 }, NOW));
  expect([claimed.fence, renewed.fence, beaten.fence]).toEqual([1, 2, 2]);
  const released = got(endLease(beaten, { owner: "a", fence: 2 }, NOW + 5));
  expect([isLive(released, NOW + 5), isFree(released, NOW + 5), released.untilMs < NOW]).toEqual([false, true, true]);
  expect(claimLease([released], wish("b", { clone: "c2" }), NOW + 6)).toMatchObject({ fence: 3, createdMs: NOW + 6 });
});

proves("GR-1", "case 28: a worker belongs to its owner by a colon, not by a beginning", () => {
  expect(belongsTo("agent:x", "agent:x")).toBe(true);
  expect(belongsTo("agent:x", "agent:x:1")).toBe(true);
  expect(belongsTo("agent:x", "agent:x1")).toBe(false);
  expect(belongsTo("agent:x:1", "agent:x")).toBe(false);
  const lease = got(claimLease([], wish("agent:x"), NOW));
  expect(beatLease(lease, { owner: "agent:x:1", fence: 1 }, NOW)).toMatchObject({ fence: 1, owner: "agent:x" });
  expect(claimLease([lease], wish("agent:x:1"), NOW)).toMatchObject({ fence: 2, owner: "agent:x" });
  expect(beatLease(lease, { owner: "agent:x1", fence: 1 }, NOW)).toEqual(refusal("ticket_leased"));
});

proves(
  "GR-2",
  "a record that ends further ahead than any lease can is nobody's, and the next fence is above its own",
  () => {
    const longest = got(claimLease([], wish("a", { minutes: LEASE_LIMITS.minutesMax }), NOW));
    expect(isLive(longest, NOW)).toBe(true);
    const forged = { ...longest, fence: 7, untilMs: Date.UTC(2999, 0) };
    expect([isLive(forged, NOW), isFree(forged, NOW)]).toEqual([false, true]);
    expect(claimLease([forged], wish("b", { clone: "c2" }), NOW)).toMatchObject({ owner: "b", fence: 8 });
  },
);

proves("GR-2", "between its end and the end of the grace a lease is nobody's; its holder can take it up again", () => {
  const lease = got(claimLease([], wish("a", { minutes: 1 }), NOW));
  const end = NOW + MINUTE_MS;
  expect(checkLease(lease, T, 1, end - 1)).toBeNull();
  for (const at of [end, end + LEASE_GRACE_MS - 1]) {
    expect(checkLease(lease, T, 1, at)).toEqual(refusal("lease_lost", { fence: 1 }));
    expect(claimLease([lease], wish("b"), at)).toEqual(refusal("ticket_leased"));
  }
  expect(claimLease([lease], wish("b"), end + LEASE_GRACE_MS)).toMatchObject({ fence: 2, owner: "b" });
  expect(beatLease(lease, { owner: "a", fence: 1 }, end + 10 * MINUTE_MS)).toMatchObject({ fence: 1 });
});

proves("GR-2", "a heartbeat never shortens a lease, whatever the clock or the term says", () => {
  const lease = got(claimLease([], wish("a", { minutes: 60 }), NOW));
  expect(beatLease(lease, { owner: "a", fence: 1 }, NOW, 1)).toMatchObject({ untilMs: lease.untilMs });
  expect(beatLease(lease, { owner: "a", fence: 1 }, NOW - 3_600_000)).toMatchObject({ untilMs: lease.untilMs });
});

proves(
  "GR-4",
  "the same owner in another clone is somebody else while the lease lives, also under the same session",
  () => {
    const lease = got(claimLease([], wish("a"), NOW));
    expect(claimLease([lease], wish("a", { clone: "c2" }), NOW)).toEqual(refusal("ticket_leased", { owner: "a" }));
    const session = got(claimLease([], wish("a", { sessionId: "s1" }), NOW));
    expect(claimLease([session], wish("a", { sessionId: "s2" }), NOW)).toEqual(
      refusal("ticket_leased", { session: "s1" }),
    );
    expect(claimLease([session], wish("a", { sessionId: "s1", clone: "c2" }), NOW)).toEqual(refusal("ticket_leased"));
    expect(beatLease(session, { owner: "a", fence: 1, sessionId: "s2" }, NOW)).toEqual(refusal("lease_lost"));
    expect(claimLease([session], wish("a", { sessionId: "s1" }), NOW)).toMatchObject({ fence: 2 });
  },
);

test("a claim counts each record that is known: the highest fence, and any holder who is alive", () => {
  const ours = got(endLease(got(claimLease([], wish("a"), NOW)), { owner: "a", fence: 1 }, NOW));
  const theirs: Lease = { ...got(claimLease([], wish("exo", { clone: "c9" }), NOW)), fence: 7 };
  expect(claimLease([ours, theirs], wish("a"), NOW)).toEqual(refusal("ticket_leased", { owner: "exo" }));
  expect(claimLease([theirs, ours], wish("a"), theirs.untilMs + LEASE_GRACE_MS)).toMatchObject({ fence: 8 });
});

test("a fence at its limit is refused, and not started again", () => {
  const last = got(
    endLease(
      { ...got(claimLease([], wish("a"), NOW)), fence: LEASE_LIMITS.fenceMax },
      { owner: "a", fence: LEASE_LIMITS.fenceMax },
      NOW,
    ),
  );
  expect(claimLease([last], wish("b"), NOW)).toEqual(refusal("lease_damaged"));
});

test("released twice: nothing changes; after a take-over the old fence releases nothing", () => {
  const lease = got(claimLease([], wish("a"), NOW));
  const released = got(endLease(lease, { owner: "a", fence: 1 }, NOW));
  expect(endLease(released, { owner: "a", fence: 1 }, NOW + 9)).toBe(released);
  expect(beatLease(released, { owner: "a", fence: 1 }, NOW)).toEqual(refusal("lease_lost"));
  const other = got(claimLease([released], wish("b"), NOW));
  expect(endLease(other, { owner: "a", fence: 1 }, NOW)).toEqual(refusal("ticket_leased", { owner: "b", fence: 2 }));
  expect(endLease(null, { owner: "a", fence: 1 }, NOW)).toEqual(refusal("lease_lost", { now: null }));
  expect(checkLease(null, T, 1, NOW)).toEqual(refusal("lease_lost", { ticket: T, fence: 1, now: null }));
});
