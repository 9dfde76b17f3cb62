import { expect } from "vitest";
import { runLeaseStorm } from "../../../test/support/lease-storm.ts";
import { proves } from "../../../test/support/proves.ts";
import { sampled } from "../../../test/support/sampled.ts";

const WISH = { seconds: sampled(180, 12), workers: sampled(12, 6) };
/** A busy machine does little in one round; then another one follows. */
const ROUNDS_MAX = 4;
const ENOUGH = { claim: 5, write: 20, "claim: ticket_leased": 5 };

proves(
  "GR-3",
  "processes race and die in clones and worktrees: one holder at a time, fences rise, no stale write",
  async () => {
    const all = new Map<string, number>();
    const missing = () => Object.entries(ENOUGH).filter(([what, least]) => (all.get(what) ?? 0) <= least);
    for (let seed = 1; seed <= ROUNDS_MAX && missing().length > 0; seed += 1) {
      const { counts, faults } = await runLeaseStorm({ ...WISH, seed });
      expect(faults).toEqual([]);
      for (const [what, count] of Object.entries(counts)) all.set(what, (all.get(what) ?? 0) + count);
    }
    expect(missing()).toEqual([]);
  },
  120_000,
);
