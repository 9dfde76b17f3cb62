import type { ModelErrorClass } from "../model.ts";

/**
 * Keeps requests away from a provider that is down. One for each provider, shared by all sessions. Pure: the clock is an
 * argument, and the state can be written into a status page as it is.
 */
export interface Breaker {
  readonly gate: () => Gate;
  readonly state: () => BreakerState;
}

export type Gate =
  | { readonly open: true; readonly pass: Pass }
  /** When a request may be tried again. */
  | { readonly open: false; readonly retryAtMs: number };

/** Permission for one request. Exactly one of `succeeded`, `failed` and `aborted` is called; later calls do nothing. */
export interface Pass {
  /** True: this is the one request that finds out whether the provider is back. */
  readonly isProbe: boolean;
  /** The answer has begun: a probe lets the others pass, because its answer may take minutes. One fault opens again. */
  readonly answers: () => void;
  readonly succeeded: () => void;
  readonly failed: (errorClass: ModelErrorClass) => void;
  /** It was cancelled by us, so it says nothing about the provider. */
  readonly aborted: () => void;
}

export type BreakerState =
  | { readonly at: "closed"; readonly failures: number }
  | { readonly at: "open"; readonly failures: number; readonly retryAtMs: number; readonly openings: number }
  /** One request is on its way to find out. */
  | { readonly at: "half_open"; readonly failures: number; readonly openings: number };

export interface BreakerLimits {
  readonly failuresMax: number;
  readonly openMs: number;
  readonly openMsMax: number;
}

const BREAKER_LIMITS: BreakerLimits = { failuresMax: 5, openMs: 10_000, openMsMax: 300_000 };

/** Only these are the provider's fault. A wrong key or a rate limit shows that it answers. */
const PROVIDER_FAULTS: ReadonlySet<ModelErrorClass> = new Set(["overloaded", "timeout", "unreachable", "malformed"]);

export function createBreaker(
  clock: { readonly nowMs: () => number },
  limits: BreakerLimits = BREAKER_LIMITS,
): Breaker {
  let state: BreakerState = { at: "closed", failures: 0 };

  const openFor = (openings: number, failures: number): void => {
    const openMs = Math.min(limits.openMsMax, limits.openMs * 2 ** Math.min(openings - 1, 30));
    state = { at: "open", failures, retryAtMs: clock.nowMs() + openMs, openings };
  };
  const pass = (isProbe: boolean): Pass => {
    let isUsed = false;
    const once = (act: () => void) => (): void => {
      if (isUsed) return;
      isUsed = true;
      act();
    };
    const answered = (): void => {
      // A slow request from before the opening proves nothing about now; only the probe closes.
      if (isProbe || state.at === "closed") state = { at: "closed", failures: 0 };
    };
    const fault = (): void => {
      if (isProbe && state.at === "half_open") openFor(state.openings + 1, state.failures + 1);
      else if (state.at === "closed" && state.failures + 1 >= limits.failuresMax) openFor(1, state.failures + 1);
      else if (state.at === "closed") state = { at: "closed", failures: state.failures + 1 };
    };
    return {
      isProbe,
      answers: () => {
        if (!isUsed && isProbe && state.at === "half_open") state = { at: "closed", failures: limits.failuresMax - 1 };
      },
      succeeded: once(answered),
      failed: (errorClass) => once(PROVIDER_FAULTS.has(errorClass) ? fault : answered)(),
      aborted: once(() => {
        // Frees the slot: the next request is the probe.
        if (isProbe && state.at === "half_open") state = { ...state, at: "open", retryAtMs: clock.nowMs() };
      }),
    };
  };

  return {
    state: () => state,
    gate: () => {
      if (state.at === "closed") return { open: true, pass: pass(false) };
      if (state.at === "half_open") return { open: false, retryAtMs: clock.nowMs() + PROBE_WAIT_MS };
      if (clock.nowMs() < state.retryAtMs) return { open: false, retryAtMs: state.retryAtMs };
      state = { at: "half_open", failures: state.failures, openings: state.openings };
      return { open: true, pass: pass(true) };
    },
  };
}

/** How long the others wait before they ask again while the probe is on its way. */
const PROBE_WAIT_MS = 1000;
