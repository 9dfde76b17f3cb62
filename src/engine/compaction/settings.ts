export interface CompactionSettings {
  /** Room for the next answer: a context that leaves less is compacted. */
  readonly reserveTokens: number;
  /** How much of the end stays as it is. */
  readonly keepRecentTokens: number;
}

export const COMPACTION_DEFAULTS: CompactionSettings = { reserveTokens: 16_384, keepRecentTokens: 20_000 };

const RESERVE_SHARE = 0.25;
const KEEP_SHARE = 0.3;

/** The settings for a window: in a small one, both are a share of it. */
export function settingsFor(
  windowTokens: number,
  settings: CompactionSettings = COMPACTION_DEFAULTS,
): CompactionSettings {
  return {
    reserveTokens: Math.min(settings.reserveTokens, Math.floor(windowTokens * RESERVE_SHARE)),
    keepRecentTokens: Math.min(settings.keepRecentTokens, Math.floor(windowTokens * KEEP_SHARE)),
  };
}

export function shouldCompact(
  tokens: number,
  windowTokens: number,
  settings: CompactionSettings = COMPACTION_DEFAULTS,
): boolean {
  return tokens > windowTokens - settingsFor(windowTokens, settings).reserveTokens;
}
