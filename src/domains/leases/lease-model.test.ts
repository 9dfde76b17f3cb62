import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { sampled } from "../../../test/support/sampled.ts";
import { isRefusal, type Refusal } from "../../kernel/index.ts";
import { beatLease, checkLease, claimLease, endLease } from "./decide-lease.ts";
import { compareLeases, LEASE_GRACE_MS, type Lease } from "./lease.ts";

const T = "TKT-20260101-120000-AB12";
const START = Date.UTC(2026, 0, 1);
const RUNS = sampled(20_000, 400);

/** Three clones with a clock and a view each; two holders in each, some of the same name. */
const CLONES = 3;
const HOLDERS = [0, 1, 2, 3, 4, 5].map((at) => ({
  clone: at % CLONES,
  owner: at < 4 ? "agent:x" : "agent:y",
  sessionId: at < 3 ? null : `s${at}`,
}));

const step = fc.record({
  kind: fc.constantFrom("claim", "claim", "beat", "renew", "release", "look", "crash", "cutRelease"),
  who: fc.nat({ max: HOLDERS.length - 1 }),
  /** A session that moved, or a person who releases from somewhere else. */
  isElsewhere: fc.integer({ min: 0, max: 5 }).map((one) => one === 0),
  minutes: fc.integer({ min: 1, max: 5 }),
  passMs: fc.oneof(fc.nat({ max: 1000 }), fc.nat({ max: 400_000 })),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
const offset = fc.integer({ min: -LEASE_GRACE_MS / 2, max: LEASE_GRACE_MS / 2 });

class World {
  store: Lease | null = null;
  nowMs = START;
  readonly views: (Lease | null)[] = Array.from({ length: CLONES }, () => null);
  readonly fences: (number | null)[] = HOLDERS.map(() => null);
  readonly given: number[] = [];
  nonces = 0;
  readonly offsets: readonly number[];
  constructor(offsets: readonly number[]) {
    this.offsets = offsets;
  }

  run({ kind, who, minutes, passMs, isElsewhere }: Step): void {
    const { clone: home, owner, sessionId } = HOLDERS[who] ?? { clone: 0, owner: "", sessionId: null };
    const clone = (home + (isElsewhere && kind !== "claim" && kind !== "crash" ? 1 : 0)) % CLONES;
    const fence = this.fences[who] ?? 0;
    const holder = { owner, sessionId, fence, clone: `c${clone}` };
    this.nonces += 1;
    const nonce = `n${this.nonces}`;
    const wish = {
      ticketId: T,
      owner,
      role: "",
      sessionId,
      host: "h",
      clone: `c${clone}`,
      baseBranch: "main",
      nonce,
      minutes,
    };
    const decide = (known: Lease | null, nowMs: number): Lease | Refusal => {
      if (kind === "beat") return beatLease(known, holder, nowMs, minutes);
      if (kind === "release" || kind === "cutRelease") return endLease(known, holder, nowMs);
      const beaten = kind === "renew" ? beatLease(known, holder, nowMs, minutes) : null;
      return beaten !== null && isRefusal(beaten) ? beaten : claimLease(known === null ? [] : [known], wish, nowMs);
    };
    if (kind === "look") this.look(clone);
    else this.write(clone, who, kind, decide);
    this.nowMs += passMs;
  }

  /** Shares a release that was cut off. */
  look(clone: number): void {
    const view = this.views[clone] ?? null;
    const isAhead = view !== null && view.nonce === this.store?.nonce && compareLeases(view, this.store) > 0;
    if (isAhead) this.store = view;
    this.views[clone] = this.store;
  }

  /** As the real one: first by what the clone knows, and by the store where that is refused or outdated. */
  write(
    clone: number,
    who: number,
    kind: string,
    decide: (known: Lease | null, nowMs: number) => Lease | Refusal,
  ): void {
    const nowMs = this.nowMs + (this.offsets[clone] ?? 0);
    const view = this.views[clone] ?? null;
    let lease = decide(view, nowMs);
    if (isRefusal(lease) || view !== this.store) {
      this.look(clone);
      lease = decide(this.store, nowMs);
    }
    if (isRefusal(lease)) return;
    // A release is written to the clone first, and killed before it is shared.
    if (kind === "cutRelease") {
      this.views[clone] = lease;
      return;
    }
    if (lease.fence !== this.store?.fence) this.given.push(lease.fence);
    this.store = lease;
    // Killed between the remote and the clone: nobody is told the fence, and the clone's view is outdated.
    if (kind === "crash") return;
    this.views[clone] = lease;
    this.fences[who] = kind === "release" ? null : lease.fence;
  }

  live(): readonly number[] {
    return HOLDERS.flatMap(({ clone }, who) => {
      const fence = this.fences[who] ?? null;
      const nowMs = this.nowMs + (this.offsets[clone] ?? 0);
      const isLive = fence !== null && checkLease(this.views[clone] ?? null, T, fence, nowMs) === null;
      return isLive ? [fence] : [];
    });
  }
}

proves(
  "GR-3",
  "any interleaving of clones with clocks that differ: one live holder, fences only rise, a stale one is refused",
  () => {
    let [claims, lives] = [0, 0];
    const offsets = fc.array(offset, { minLength: CLONES, maxLength: CLONES });
    fc.assert(
      fc.property(offsets, fc.array(step, { minLength: 1, maxLength: 60 }), (given, steps) => {
        const world = new World(given);
        for (const one of steps) {
          world.run(one);
          const live = world.live();
          expect(new Set(live).size).toBeLessThanOrEqual(1);
          lives += live.length;
        }
        claims += world.given.length;
        expect(world.given).toEqual([...new Set(world.given)].toSorted((a, b) => a - b));
      }),
      { numRuns: RUNS },
    );
    expect([claims > RUNS, lives > RUNS]).toEqual([true, true]);
  },
);
