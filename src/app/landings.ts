import { join } from "node:path";
import { createLandingGit } from "../host/index.ts";
import {
  createAttribution,
  createFanOuts,
  createLandingJudge,
  createLandings,
  type FanOutService,
  type LandingLaw,
  landingSettings,
  type OpenedHome,
  worktreeSettings,
} from "../services/index.ts";
import type { Sessions } from "./build-sessions.ts";
import type { Machine } from "./machine.ts";
import type { WritableLog } from "./open-log.ts";

/** Landings, with git for the person's repositories, and fan-outs, which land one of several tries. */
export function buildLandings(
  { home, config, clock, store, log, redactor, trash }: OpenedHome,
  { committer, newId }: WritableLog,
  { agents, trees, supervisor }: Sessions,
  { own, snapshots }: Machine,
  environment: Readonly<Record<string, string | undefined>>,
  law: LandingLaw,
): FanOutService {
  const scratch = join(home, "tmp", "landings");
  const carry = () => worktreeSettings(config).carry;
  const bytesMax = () => worktreeSettings(config).bounds.bytesMax;
  const git = createLandingGit({ environment, scratch, carry, bytesMax });
  const settings = () => landingSettings(config);
  const landing = createLandings({
    ...{ store, committer, clock, newId, trees, supervisor, git, scratch, settings, law },
    judge: createLandingJudge({ ...own, home, environment, committer, newId, clock, redactor, settings, law }),
    attribute: createAttribution({ store, snapshots }),
    folder: join(home, "landings"),
    discard: trash.discard,
    log: log.write,
  });
  return createFanOuts({ store, committer, clock, newId, config, agents, supervisor, trees, log: log.write }, landing);
}
