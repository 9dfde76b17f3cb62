import { join } from "node:path";
import { createLandingGit } from "../host/index.ts";
import {
  createLandingJudge,
  createLandings,
  type LandingService,
  landingSettings,
  type OpenedHome,
  worktreeSettings,
} from "../services/index.ts";
import type { Sessions } from "./build-sessions.ts";
import type { Machine } from "./machine.ts";
import type { WritableLog } from "./open-log.ts";

/** Landings, with git for the person's repositories. */
export function buildLandings(
  { home, config, clock, store, log, redactor }: OpenedHome,
  { committer, newId }: WritableLog,
  { trees, supervisor }: Sessions,
  own: Machine["own"],
  environment: Readonly<Record<string, string | undefined>>,
): LandingService {
  const scratch = join(home, "tmp", "landings");
  const carry = () => worktreeSettings(config).carry;
  const bytesMax = () => worktreeSettings(config).bounds.bytesMax;
  const git = createLandingGit({ environment, scratch, carry, bytesMax });
  const settings = () => landingSettings(config);
  return createLandings({
    ...{ store, committer, clock, newId, trees, supervisor, git, scratch, settings },
    judge: createLandingJudge({ ...own, home, environment, committer, newId, clock, redactor, settings }),
    folder: join(home, "landings"),
    log: log.write,
  });
}
