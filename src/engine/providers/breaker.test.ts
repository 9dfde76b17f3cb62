import fc from "fast-check";
import { expect, test } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { ModelErrorClass } from "../model.ts";
import { createBreaker, type Pass } from "./breaker.ts";

const LIMITS = { failuresMax: 3, openMs: 100, openMsMax: 400 };

function breakerAt(startMs = 0) {
  const clock = { ms: startMs };
  const breaker = createBreaker({ nowMs: () => clock.ms }, LIMITS);
  const enter = (): Pass => {
    const gate = breaker.gate();
    if (!gate.open) throw new Error(`closed until ${gate.retryAtMs}`);
    return gate.pass;
  };
  const fail = (errorClass: ModelErrorClass = "overloaded"): void => enter().failed(errorClass);
  return { clock, breaker, enter, fail };
}

proves("MOD-1", "opens after three failures in a row, and a success between them starts again", () => {
  const { breaker, enter, fail } = breakerAt();
  fail();
  fail();
  enter().succeeded();
  fail();
  fail();
  expect(breaker.state()).toEqual({ at: "closed", failures: 2 });
  fail();
  expect(breaker.state()).toEqual({ at: "open", failures: 3, retryAtMs: 100, openings: 1 });
  expect(breaker.gate()).toEqual({ open: false, retryAtMs: 100 });
});

test.each(["auth", "invalid", "overflow", "rate_limit", "billing", "refused", "model_unknown"] as const)(
  "%s shows that the provider answers",
  (errorClass) => {
    const { breaker, fail } = breakerAt();
    fail();
    fail();
    fail(errorClass);
    fail();
    expect(breaker.state()).toEqual({ at: "closed", failures: 1 });
  },
);

proves("MOD-1", "one probe passes after the time; it closes, or doubles the time up to a cap", () => {
  const { clock, breaker, enter, fail } = breakerAt();
  for (let n = 0; n < 3; n += 1) fail();
  const openMs: number[] = [];
  for (let n = 0; n < 4; n += 1) {
    const state = breaker.state();
    clock.ms = state.at === "open" ? state.retryAtMs : Number.NaN;
    const probe = enter();
    expect(probe.isProbe).toBe(true);
    expect(breaker.gate().open).toBe(false);
    probe.failed("timeout");
    const next = breaker.state();
    openMs.push(next.at === "open" ? next.retryAtMs - clock.ms : 0);
  }
  expect(openMs).toEqual([200, 400, 400, 400]);
  clock.ms += 400;
  enter().succeeded();
  expect(breaker.state()).toEqual({ at: "closed", failures: 0 });
});

proves("MOD-1", "a probe whose answer has begun lets the others pass; if it breaks, the breaker opens again", () => {
  const { clock, breaker, enter, fail } = breakerAt();
  for (let n = 0; n < 3; n += 1) fail();
  clock.ms = 100;
  const probe = enter();
  probe.answers();
  enter().aborted();
  expect(breaker.gate().open).toBe(true);
  probe.failed("malformed");
  expect(breaker.state().at).toBe("open");
  clock.ms = 200;
  const next = enter();
  next.answers();
  next.succeeded();
  next.answers();
  expect(breaker.state()).toEqual({ at: "closed", failures: 0 });
});

test("an aborted probe frees its place at once", () => {
  const { clock, breaker, enter, fail } = breakerAt();
  for (let n = 0; n < 3; n += 1) fail();
  clock.ms = 100;
  enter().aborted();
  expect(enter().isProbe).toBe(true);
  expect(breaker.gate().open).toBe(false);
});

test("a late answer of a request from before the opening closes nothing, and a pass counts once", () => {
  const { breaker, enter, fail } = breakerAt();
  const slow = enter();
  for (let n = 0; n < 3; n += 1) fail();
  slow.succeeded();
  slow.succeeded();
  expect(breaker.state().at).toBe("open");
  const again = breakerAt();
  const one = again.enter();
  one.failed("timeout");
  one.failed("timeout");
  one.succeeded();
  expect(again.breaker.state()).toEqual({ at: "closed", failures: 1 });
});

proves("MOD-1", "in any history there is at most one probe on its way, and an open breaker always says when", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("enter" as const) }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 500 }) }),
    fc.record({ do: fc.constantFrom("succeeded", "failed", "aborted"), which: fc.nat() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { clock, breaker } = breakerAt();
      const out: Pass[] = [];
      for (const one of steps) {
        if (one.do === "enter") {
          const gate = breaker.gate();
          if (gate.open) out.push(gate.pass);
          else expect(gate.retryAtMs).toBeGreaterThan(clock.ms);
        } else if (one.do === "wait" && "ms" in one) clock.ms += one.ms;
        else if ("which" in one && out.length > 0) {
          const [pass] = out.splice(one.which % out.length, 1);
          if (one.do === "succeeded") pass?.succeeded();
          else if (one.do === "failed") pass?.failed("unreachable");
          else pass?.aborted();
        }
        expect(out.filter(({ isProbe }) => isProbe).length).toBeLessThanOrEqual(1);
        expect(breaker.state().at === "half_open").toBe(out.some(({ isProbe }) => isProbe));
        expect(JSON.parse(JSON.stringify(breaker.state()))).toEqual(breaker.state());
      }
    }),
  );
});
