import type { LandingDeps } from "./landing-deps.ts";
import type { Landings } from "./landings.ts";

/** Captures work and makes the order of a landing. */
export function createOrdering(_deps: LandingDeps): Pick<Landings, "land" | "tryOut"> {
  return {
    land: async () => [],
    tryOut: async () => ({ into: "", findings: [], files: 0, added: 0, removed: 0, checkMs: null }),
  };
}
