import { type By, guardOf, subjectOf } from "../../commit/index.ts";
import {
  ejectLanding,
  holdLanding,
  type LandingState,
  LandingStream,
  landingLane,
  moveLanding,
  placeBefore,
  releaseLanding,
} from "../../domains/index.ts";
import { type Decision, refuse } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { createCheckRuns } from "./check-landings.ts";
import { createKeptWork } from "./kept-work.ts";
import type { LandingDeps } from "./landing-deps.ts";
import { createLandingFacts } from "./landing-facts.ts";
import { landingMessage, lastTurnOf } from "./landing-message.ts";
import type { Landings } from "./landings.ts";
import { createMending } from "./mending/mend-landings.ts";
import { createOrdering } from "./order-landing.ts";
import { createRunner } from "./queue/run-landings.ts";
import { createTrials } from "./try-landing.ts";

export interface LandingService {
  readonly landings: Landings;
  /** Takes up what an earlier daemon left, and whatever the queue starts from now on. Returns at once. */
  readonly start: () => void;
  /** Ends checks. What was under way is taken up by the next daemon. */
  readonly stop: () => Promise<void>;
}

export function createLandings(deps: LandingDeps): LandingService {
  const { committer, newId } = deps;
  const change = async (
    id: string,
    decide: (state: LandingState) => Decision,
    by: By,
  ): Promise<readonly RecordedEvent[]> => (await committer.change(LandingStream, id, decide, by)).events;
  const kept = createKeptWork(deps.folder);
  const checks = createCheckRuns(deps);
  const ordering = createOrdering(deps, kept);
  const mending = createMending(deps, ordering);
  const runner = createRunner({ deps, kept, checks, facts: createLandingFacts(deps) });

  const begin = async (): Promise<void> => {
    await runner.start();
    await mending.start().catch((thrown: unknown) => {
      deps.log("refused landings of the last daemon were not looked at", { reason: String(thrown) });
    });
  };

  return {
    landings: {
      land: (sessionId, wish, by) => ordering.queue(sessionId, wish, by),
      tryOut: createTrials({ deps, kept, checks, ordering }),
      checking: checks.checking,
      draft: async (sessionId) => {
        const state = await committer.sessionState(sessionId);
        return landingMessage(deps.store, { message: null, turnId: lastTurnOf(state) }, state, "");
      },
      eject: (id, reason, by) => change(id, (state) => ejectLanding(state, reason), by),
      hold: (id, reason, by) => change(id, (state) => holdLanding(state, reason), by),
      release: (id, by) => change(id, releaseLanding, by),
      move: async (id, before, by) => {
        const other = subjectOf(LandingStream, before);
        const decide = (state: LandingState, goal: LandingState): Decision => {
          if (state.at === "absent") return refuse("landing_not_found");
          const isReachable =
            id !== before && goal.at === "queued" && landingLane(goal.order) === landingLane(state.order);
          return isReachable ? moveLanding(state, placeBefore(goal.place, newId())) : refuse("landing_unmovable");
        };
        const { events } = await committer.commit(
          [{ of: subjectOf(LandingStream, id), decide: (state, seen) => decide(state, seen(other)) }],
          { by, expect: [guardOf(LandingStream, before, () => null)] },
        );
        return events;
      },
    },
    start: () => void begin(),
    stop: async () => void (await Promise.all([runner.stop(), mending.stop()])),
  };
}
