import { realpath } from "node:fs/promises";
import type { Policy, Speaker } from "../domains/index.ts";
import { hearAll } from "../domains/index.ts";
import {
  createMeasures,
  createWorks,
  type FanOutService,
  type HeldGovernance,
  holdGovernance,
  type OpenedHome,
  type WorkService,
} from "../services/index.ts";
import type { Sessions } from "./build-sessions.ts";
import type { WritableLog } from "./open-log.ts";

/** Laws of repositories, made before the sessions that are judged by them. */
export async function openGovernance(
  { home, clock, store, log }: OpenedHome,
  { committer, newId }: WritableLog,
  environment: Readonly<Record<string, string | undefined>>,
  sessions: () => Pick<Sessions, "trees">,
): Promise<HeldGovernance> {
  const { HOME } = environment;
  const personHome = HOME === undefined || HOME === "" ? null : await realpath(HOME).catch(() => null);
  return holdGovernance({
    ...{ home, environment, personHome, store, committer, clock, newId, log: log.write },
    trees: () => sessions().trees,
  });
}

/** Sessions that work on tickets, under those laws. */
export function buildWorks(
  { store, clock, log }: OpenedHome,
  { committer, newId }: WritableLog,
  { supervisor, advisories, trees }: Sessions,
  governance: HeldGovernance,
  { landings }: Pick<FanOutService, "landings">,
): WorkService {
  const service = createWorks({
    ...governance,
    ...{ store, committer, clock, newId, landings, supervisor, advisories, log: log.write },
    measures: createMeasures({ ...governance, store, clock, trees }),
  });
  governance.tellOf(service);
  return service;
}

/** What is heard beside the rules: the law, and the program around the daemon. */
export function speakersBeside({ speak }: HeldGovernance, program: Policy["beside"]): Speaker {
  return program === undefined ? speak : hearAll([program, speak]);
}
