import {
  type AnyFact,
  type Decision,
  event,
  type FactOf,
  factsOf,
  type Placed,
  readsOf,
  refuse,
  type Transition,
} from "../../kernel/index.ts";

export const LEASE_EVENTS = {
  "lease.acquired@1": event<{ readonly resource: string; readonly holder: string; readonly fence: number }>(),
  "lease.released@1": event<{ readonly resource: string; readonly fence: number }>(),
};

const fact = factsOf(LEASE_EVENTS);
export const leaseFact = readsOf(LEASE_EVENTS);

/** The right to be the one writer. The fence only rises: a holder of an older one is refused. */
export type LeaseState =
  | { readonly at: "free"; readonly version: number; readonly lastFence: number }
  | { readonly at: "held"; readonly version: number; readonly lastFence: number; readonly holder: string };

export const LEASE_TRANSITIONS: readonly Transition<"lease.acquired@1" | "lease.released@1", LeaseState["at"]>[] = [
  { on: "lease.acquired@1", from: ["free", "held"], to: "held" },
  { on: "lease.released@1", from: ["held"], to: "free" },
];

export const HOME_LEASE = "home";

export function evolveLease(state: LeaseState, { fact: given, version }: Placed): LeaseState {
  if (given === null || !isOfLease(given)) return { ...state, version };
  if (given.type === "lease.acquired@1")
    return { at: "held", version, holder: given.data.holder, lastFence: Math.max(state.lastFence, given.data.fence) };
  if (given.data.fence !== state.lastFence) return { ...state, version };
  return { at: "free", version, lastFence: state.lastFence };
}

function isOfLease(given: AnyFact): given is FactOf<typeof LEASE_EVENTS> {
  return given.type in LEASE_EVENTS;
}

/**
 * `deadHolder`: the caller has proof (a lock of the operating system, a database clock) that the old holder is gone.
 * Only then is a held lease taken over, always with a higher fence. `atLeast`: lower bound of the fence in a restored
 * log, whose later fences other daemons may have seen.
 */
export function acquireLease(
  state: LeaseState,
  input: {
    readonly resource: string;
    readonly holder: string;
    readonly deadHolder: boolean;
    readonly atLeast?: number;
  },
): Decision {
  if (state.at === "held" && !input.deadHolder)
    return refuse("lease_held", { by: state.holder, fence: state.lastFence });
  const { resource, holder, atLeast = 0 } = input;
  return [fact("lease.acquired@1", { resource, holder, fence: Math.max(state.lastFence + 1, atLeast) })];
}

export function releaseLease(
  state: LeaseState,
  input: { readonly resource: string; readonly fence: number },
): Decision {
  if (state.at !== "held" || state.lastFence !== input.fence)
    return refuse("stale_fence", { fence: input.fence, current: state.lastFence });
  return [fact("lease.released@1", input)];
}
