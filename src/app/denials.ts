import type { Clock } from "../host/index.ts";

const RECORDED_PER_SECOND = 10;

/** Denials are recorded, but nobody may fill the log by being denied: past a few a second, they are only refused. */
export function createDenialBound(clock: Clock): (principal: string) => boolean {
  const second = { at: 0, counts: new Map<string, number>() };
  return (principal) => {
    const now = Math.floor(clock.nowMs() / 1000);
    if (second.at !== now) {
      second.at = now;
      second.counts.clear();
    }
    const count = (second.counts.get(principal) ?? 0) + 1;
    second.counts.set(principal, count);
    return count <= RECORDED_PER_SECOND;
  };
}
