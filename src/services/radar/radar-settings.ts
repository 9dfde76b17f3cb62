import { RADAR_DEFAULTS } from "../../contract/index.ts";
import type { ConfigService } from "../config/settings.ts";

/** The configuration's `radar`, with defaults for what it leaves out. */
interface SettingsOfRadar {
  readonly enabled: boolean;
  readonly advise: boolean;
  readonly lookEveryMs: number;
  readonly treesMax: number;
  readonly foldersMax: number;
  readonly fileBytesMax: number;
}

export function radarSettings(config: Pick<ConfigService, "show">): SettingsOfRadar {
  const { radar = {} } = config.show();
  const given = Object.entries(radar).filter(([, value]) => value !== undefined);
  return { ...RADAR_DEFAULTS, ...Object.fromEntries(given) };
}
