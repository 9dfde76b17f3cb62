import { expect } from "vitest";
import { setUpClones } from "../../../test/support/lease-clones.ts";
import { proves } from "../../../test/support/proves.ts";
import { LEASE_GRACE_MS } from "../../domains/index.ts";

const T = "TKT-20260101-120000-AB12";
const MINUTE_MS = 60_000;

proves(
  "GR-1",
  "ExoProtocol's case 13 across two clones: claim 1, refused, renew 2, heartbeat 2, and never 1 again",
  async () => {
    using all = setUpClones();
    const [a, b] = [await all.clone("a"), await all.clone("b")];
    const claimed = await a.leases.claim(a.governed, T, { owner: "agent:a", minutes: 10 });
    expect(claimed).toMatchObject({ fence: 1, owner: "agent:a", ticketId: T });
    await expect(b.leases.claim(b.governed, T, { owner: "agent:b" })).rejects.toMatchObject({
      code: "ticket_leased",
      details: { owner: "agent:a", fence: 1, host: "here" },
    });
    expect(await a.leases.renew(a.governed, T, { owner: "agent:a", fence: 1 })).toMatchObject({ fence: 2 });
    expect(await a.leases.heartbeat(a.governed, T, { owner: "agent:a", fence: 2 })).toMatchObject({ fence: 2 });
    await a.leases.release(a.governed, T, { owner: "agent:a", fence: 2 });
    expect(await b.leases.claim(b.governed, T, { owner: "agent:b" })).toMatchObject({ fence: 3, owner: "agent:b" });
    expect(await a.leases.check(a.governed, T, 2)).toMatchObject({ refused: "lease_lost" });
  },
);

proves("GR-2", "a lease that ended is taken over after the grace, and its holder's fence is refused", async () => {
  using all = setUpClones();
  const [a, b] = [await all.clone("a"), await all.clone("b")];
  const { fence } = await a.leases.claim(a.governed, T, { owner: "agent:a", sessionId: "s1", minutes: 1 });
  expect(await a.leases.check(a.governed, T, fence)).toBeNull();
  all.clock.pass(MINUTE_MS);
  expect(await a.leases.check(a.governed, T, fence)).toMatchObject({ refused: "lease_lost" });
  await expect(b.leases.claim(b.governed, T, { owner: "agent:b" })).rejects.toMatchObject({ code: "ticket_leased" });
  all.clock.pass(LEASE_GRACE_MS);
  expect(await b.leases.claim(b.governed, T, { owner: "agent:b" })).toMatchObject({ fence: 2 });
  await expect(a.leases.heartbeat(a.governed, T, { owner: "agent:a", fence })).rejects.toMatchObject({
    code: "ticket_leased",
    details: { owner: "agent:b", fence: 2 },
  });
  expect(await a.leases.holder(a.governed, T)).toMatchObject({ owner: "agent:b", fence: 2 });
});

proves("GR-2", "a refresh shows who holds the tickets of other clones, and who has let go", async () => {
  using all = setUpClones();
  const [a, b] = [await all.clone("a"), await all.clone("b")];
  const shown = async () =>
    (await b.leases.list(b.governed)).map(({ ticketId, owner, fence }) => [ticketId, owner, fence]);
  await a.leases.claim(a.governed, "TKT-1", { owner: "agent:a" });
  await a.leases.claim(a.governed, "TKT-2", { owner: "agent:a" });
  expect(await shown()).toEqual([]);
  await b.leases.refresh(b.governed);
  expect(await shown()).toEqual([
    ["TKT-1", "agent:a", 1],
    ["TKT-2", "agent:a", 1],
  ]);
  await a.leases.release(a.governed, "TKT-1", { owner: "agent:a", fence: 1 });
  await a.leases.renew(a.governed, "TKT-2", { owner: "agent:a", fence: 1 });
  await b.leases.refresh(b.governed);
  expect((await b.leases.list(b.governed)).map(({ fence, releasedMs }) => [fence, releasedMs === null])).toEqual([
    [1, false],
    [2, true],
  ]);
});
