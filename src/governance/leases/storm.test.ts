import { expect } from "vitest";
import { runLeaseStorm } from "../../../test/support/lease-storm.ts";
import { proves } from "../../../test/support/proves.ts";
import { sampled } from "../../../test/support/sampled.ts";

const WISH = { seed: 1, seconds: sampled(180, 12), workers: sampled(12, 6) };

proves(
  "GR-3",
  "processes race and die in clones and worktrees: one holder at a time, fences rise, no stale write",
  async () => {
    const { counts, faults } = await runLeaseStorm(WISH);
    expect(faults).toEqual([]);
    expect(counts["claim"]).toBeGreaterThan(5);
    expect(counts["write"]).toBeGreaterThan(20);
    expect(counts["claim: ticket_leased"]).toBeGreaterThan(5);
  },
);
