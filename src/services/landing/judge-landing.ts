import type { LandingJudge } from "./judge.ts";

export function createLandingJudge(): LandingJudge {
  return { judge: async () => [], check: async () => ({ findings: [], checkMs: 0 }) };
}
