import type { Finding } from "../../domains/index.ts";
import type { LandingRepository } from "../../host/index.ts";
import type { CheckRuns } from "./check-landings.ts";
import type { KeptWork } from "./kept-work.ts";
import type { LandingDeps } from "./landing-deps.ts";
import type { Landings, Trial } from "./landings.ts";
import { makeAndJudge } from "./make-landing.ts";
import type { Ordered, Ordering } from "./order-landing.ts";

interface TrialParts {
  readonly deps: LandingDeps;
  readonly kept: KeptWork;
  readonly checks: CheckRuns;
  readonly ordering: Pick<Ordering, "order">;
}

/** A dry run: the same gate and the same checks, on commits that no branch will get. */
export function createTrials({ deps, kept, checks, ordering }: TrialParts): Landings["tryOut"] {
  return async (sessionId, wish, signal = new AbortController().signal) => {
    const id = `try-${deps.newId()}`;
    try {
      const { guards: _guards, ...ordered } = await ordering.order(id, sessionId, wish);
      const work = { folder: kept.folderOf(id), sharedObjects: ordered.captured.sharedObjects };
      await using opened = await deps.git.open(ordered.order.repository, [work]);
      return await tryOn(opened, { ...ordered, id }, signal);
    } finally {
      await kept.drop(id);
    }
  };

  async function tryOn(
    opened: LandingRepository,
    { id, order, captured, state }: Omit<Ordered, "guards"> & { readonly id: string },
    signal: AbortSignal,
  ): Promise<Trial> {
    const { into, pullRequest } = order;
    const onto = (await opened.tip(into)) ?? "";
    const judged = await makeAndJudge(deps, opened, { order, captured, state, eventId: null }, onto, signal);
    if ("findings" in judged) {
      const counts = await opened.counts(captured.userBase ?? onto, captured.tree);
      return { into, findings: judged.findings, ...counts, checkMs: null };
    }
    const { commit } = judged.made;
    const counts = await opened.counts(onto, commit);
    const { blocked } = pullRequest === null ? await opened.places(into) : { blocked: null };
    if (blocked !== null) return { into, findings: [isBlocked(into, blocked)], ...counts, checkMs: null };
    const report = await checks.check({ opened, landings: [{ id, order }], onto, commit }, signal);
    return { into, findings: report.findings, ...counts, checkMs: report.checkMs };
  }
}

function isBlocked(into: string, words: string): Finding {
  return {
    rule: "policy",
    message: `${into} cannot move: ${words}.`,
    remedy: "Finish what is in progress there (`git status` shows it), then land again.",
  };
}
