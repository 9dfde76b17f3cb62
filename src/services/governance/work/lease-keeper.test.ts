import { expect } from "vitest";
import { createVirtualClock } from "../../../../test/sim/virtual-clock.ts";
import { proves } from "../../../../test/support/proves.ts";
import { NomosError } from "../../../contract/index.ts";
import type { HeldLease, LeasedRepository, Leases } from "../../../governance/index.ts";
import { createLeaseKeeper, type KeptLease } from "./lease-keeper.ts";

const GOVERNED = { branch: "main" } as LeasedRepository;
const MINUTE_MS = 60_000;

/** Leases of a repository that is a map; a ticket in `hanging` never answers. */
function setUp(minutes = 30) {
  const clock = createVirtualClock();
  const held = new Map<string, HeldLease>();
  const beats: string[] = [];
  const [lost, logged, hanging] = [[] as string[], [] as string[], new Set<string>()];
  let away = false;
  const lease = (sessionId: string): KeptLease => {
    const ticketId = `TKT-${sessionId}`;
    const nowMs = clock.nowMs();
    const record: HeldLease = {
      ...{
        ticketId,
        owner: "agent:a",
        role: "developer",
        baseBranch: "main",
        nonce: "n",
        until: "",
        fence: 1,
        minutes,
      },
      ...{ createdMs: nowMs, updatedMs: nowMs, heartbeatMs: nowMs, untilMs: nowMs + minutes * MINUTE_MS },
      ...{ sessionId, host: null, clone: null, remote: null, serial: 1, releasedMs: null },
    };
    held.set(ticketId, record);
    return { sessionId, ticketId, governed: GOVERNED, owner: "agent:a", fence: 1 };
  };
  const leases: Pick<Leases, "holder" | "heartbeat"> = {
    holder: async (_governed, ticketId) => held.get(ticketId) ?? null,
    heartbeat: async (_governed, ticketId, { fence }) => {
      beats.push(ticketId);
      if (hanging.has(ticketId)) return new Promise(() => undefined);
      if (away) throw new NomosError("lease_remote_failed", {});
      const now = held.get(ticketId);
      if (now === undefined || now.fence !== fence) throw new NomosError("lease_lost", { ticket: ticketId });
      const beaten = { ...now, heartbeatMs: clock.nowMs(), untilMs: clock.nowMs() + minutes * MINUTE_MS };
      held.set(ticketId, beaten);
      return beaten;
    },
  };
  const kept: KeptLease[] = [];
  const keeper = createLeaseKeeper({
    ...{ clock, leases, kept: async () => kept },
    lost: async (one, { code }) => {
      lost.push(`${one.sessionId} ${code}`);
      kept.splice(kept.indexOf(one), 1);
    },
    log: (message) => void logged.push(message),
  });
  const pass = async (ms: number): Promise<void> => {
    const untilMs = clock.nowMs() + ms;
    while (clock.nowMs() < untilMs) await clock.step();
  };
  const goAway = (value: boolean): void => {
    away = value;
  };
  return { clock, held, beats, lost, logged, hanging, kept, lease, keeper, pass, goAway };
}

proves(
  "GR-13",
  "leases of living sessions are beaten three times a term, and never end while the keeper runs",
  async () => {
    const { kept, lease, keeper, pass, beats, held, clock } = setUp(30);
    kept.push(lease("s1"), lease("s2"));
    keeper.start();
    for (let at = 0; at < 12; at++) {
      await pass(10 * MINUTE_MS);
      for (const { untilMs } of held.values()) expect(untilMs).toBeGreaterThan(clock.nowMs());
    }
    expect(beats.length).toBeGreaterThanOrEqual(20);
    expect(beats.length).toBeLessThanOrEqual(26);
    kept.length = 0;
    const before = beats.length;
    await pass(60 * MINUTE_MS);
    expect(beats).toHaveLength(before);
    await keeper.stop();
  },
);

proves("GR-13", "a lease that somebody took over is noticed within seconds, before it is due", async () => {
  const { kept, lease, keeper, pass, lost, held } = setUp(30);
  kept.push(lease("s1"), lease("s2"));
  keeper.start();
  const now = held.get("TKT-s1");
  if (now !== undefined) held.set("TKT-s1", { ...now, fence: 2, owner: "agent:b" });
  await pass(11_000);
  expect(lost).toEqual(["s1 lease_lost"]);
  await keeper.stop();
});

proves(
  "GR-13",
  "a remote that hangs for some leases keeps no other waiting; one that is away is told once",
  async () => {
    const { kept, lease, keeper, pass, held, hanging, clock, logged, goAway } = setUp(3);
    for (let at = 0; at < 12; at++) kept.push(lease(`s${at}`));
    for (let at = 0; at < 5; at++) hanging.add(`TKT-s${at}`);
    keeper.start();
    await pass(10 * MINUTE_MS);
    for (let at = 5; at < 12; at++) expect(held.get(`TKT-s${at}`)?.untilMs).toBeGreaterThan(clock.nowMs());
    goAway(true);
    await pass(10 * MINUTE_MS);
    expect(logged.filter((one) => one === "a lease could not be kept")).toHaveLength(7);
    goAway(false);
    await pass(MINUTE_MS);
    for (let at = 5; at < 12; at++) expect(held.get(`TKT-s${at}`)?.untilMs).toBeGreaterThan(clock.nowMs());
  },
);
