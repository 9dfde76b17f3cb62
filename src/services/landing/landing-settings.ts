import { LANDING_DEFAULTS } from "../../contract/index.ts";
import type { LandHow } from "../../domains/index.ts";
import type { ConfigService } from "../config/settings.ts";

/** The configuration's `landing`, with defaults for what it leaves out. */
export interface LandingSettings {
  readonly checks: readonly (readonly string[])[];
  readonly checkTimeoutMs: number;
  readonly checkNetwork: readonly string[];
  readonly checkSandbox: "strict" | "off";
  readonly how: LandHow;
  readonly uncommitted: "commit" | "refuse";
  readonly filesMax: number;
  readonly linesMax: number;
  readonly bytesMax: number;
  readonly fileBytesMax: number;
  readonly protect: readonly string[];
  readonly attemptsMax: number;
  readonly batchAfterMs: number;
}

export function landingSettings(config: Pick<ConfigService, "show">): LandingSettings {
  const { landing = {} } = config.show();
  const given = Object.entries(landing).filter(([, value]) => value !== undefined);
  return { ...LANDING_DEFAULTS, ...Object.fromEntries(given) };
}
