import type { CheckRuns } from "../check-landings.ts";
import type { KeptWork } from "../kept-work.ts";
import type { LandingDeps } from "../landing-deps.ts";
import type { LandingFacts } from "../landing-facts.ts";

/** What a lane works with. */
export interface LaneParts {
  readonly deps: LandingDeps;
  readonly kept: KeptWork;
  readonly facts: LandingFacts;
  readonly checks: CheckRuns;
  readonly stopping: AbortSignal;
}

/** Ends landings of a lane, with everything that was kept for them. */
export interface LaneEnds {
  readonly refuse: LandingFacts["refuse"];
  readonly forget: (ids: readonly string[]) => Promise<void>;
}
