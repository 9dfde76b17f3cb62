import type { BreakerReport } from "../engine.ts";
import { type Breaker, createBreaker } from "../providers/index.ts";

/** One breaker a provider, for all sessions of the process. `tell` hears of every change. */
export function createBreakers(clock: { readonly nowMs: () => number }, tell: (all: readonly BreakerReport[]) => void) {
  const breakers = new Map<string, Breaker>();
  let told = "";

  const report = (): void => {
    const all = [...breakers].map(([provider, breaker]) => reportOf(provider, breaker));
    const now = JSON.stringify(all);
    if (now === told) return;
    told = now;
    tell(all);
  };
  return {
    of: (provider: string): Breaker => {
      const breaker = breakers.get(provider) ?? createBreaker(clock);
      breakers.set(provider, breaker);
      return {
        state: breaker.state,
        gate: () => {
          const gate = breaker.gate();
          report();
          if (!gate.open) return gate;
          const { pass } = gate;
          const after = (act: () => void) => () => {
            act();
            report();
          };
          return {
            open: true,
            pass: {
              isProbe: pass.isProbe,
              answers: after(pass.answers),
              succeeded: after(pass.succeeded),
              aborted: after(pass.aborted),
              failed: (errorClass) => after(() => pass.failed(errorClass))(),
            },
          };
        },
      };
    },
  };
}

function reportOf(provider: string, breaker: Breaker): BreakerReport {
  const state = breaker.state();
  const retryAt = state.at === "open" ? new Date(state.retryAtMs).toISOString() : null;
  return { provider, state: state.at, failures: state.failures, retryAt };
}
