import { NomosError } from "../contract/index.ts";
import type { Actor } from "../domains/index.ts";

/** Limits what a principal may hold open at the same time, such as streams. */
export interface Shares {
  /** Counts one more for this principal; throws `overloaded` at its limit. Call the result once when done. */
  readonly take: (actor: Actor) => () => void;
}

const OPERATOR_MAX = 1000;
const SCOPED_MAX = 32;

export function createShares(what: string): Shares {
  const held = new Map<string, number>();
  return {
    take: ({ principal, capabilities }) => {
      const before = held.get(principal) ?? 0;
      const max = capabilities.includes("*") ? OPERATOR_MAX : SCOPED_MAX;
      if (before >= max) throw new NomosError("overloaded", { of: what, held: before, max });
      held.set(principal, before + 1);
      let returned = false;
      return () => {
        if (returned) return;
        returned = true;
        const left = (held.get(principal) ?? 1) - 1;
        if (left === 0) held.delete(principal);
        else held.set(principal, left);
      };
    },
  };
}
