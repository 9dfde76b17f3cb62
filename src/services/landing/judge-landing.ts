import type { Clock } from "../../host/index.ts";
import type { Redactor } from "../../redaction/index.ts";
import { createBreath } from "../secret-scan/breath.ts";
import { type AmendMeans, amendScope } from "./gate/amend-scope.ts";
import { judgeAll } from "./gate/judge-all.ts";
import { runChecks } from "./gate/run-checks.ts";
import type { WalledMeans } from "./gate/run-walled.ts";
import type { LandingJudge, LandingLaw } from "./judge.ts";
import type { LandingSettings } from "./landing-settings.ts";

export interface JudgeDeps extends WalledMeans, Omit<AmendMeans, "redactor"> {
  readonly settings: () => LandingSettings;
  readonly redactor: Pick<Redactor, "find" | "look" | "text" | "data">;
  readonly clock: Clock;
  /** Absent: no repository has a law. */
  readonly law?: LandingLaw | undefined;
}

export function createLandingJudge(deps: JudgeDeps): LandingJudge {
  const { settings, redactor, clock, law } = deps;
  return {
    judge: (given, signal) =>
      judgeAll(given, { settings: settings(), redactor, law, breathe: createBreath(clock.steadyMs, signal) }),
    check: (given, signal) => runChecks(given, { ...deps, settings: settings() }, signal),
    amend: (given, findings) => amendScope(given, findings, deps),
  };
}
