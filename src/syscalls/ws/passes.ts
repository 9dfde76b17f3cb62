import { createHash, randomBytes } from "node:crypto";
import { NomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";

/** A pass identifies its caller once, for a short time. Kept in memory: a restart voids all passes. */
export interface Passes {
  readonly issue: (actor: Actor) => { readonly ticket: string; readonly expiresAt: string };
  /** Null when it is unknown, used or expired. */
  readonly redeem: (ticket: string) => Actor | null;
}

const PASS_TTL_MS = 30_000;
const TICKETS_MAX = 1000;

export function createPasses(clock: Pick<Clock, "nowMs" | "steadyMs" | "iso">): Passes {
  const issued = new Map<string, { readonly actor: Actor; readonly untilMs: number }>();
  const forgetOld = (): void => {
    for (const [hash, { untilMs }] of issued) if (untilMs <= clock.steadyMs()) issued.delete(hash);
  };
  return {
    issue: (actor) => {
      if (issued.size >= TICKETS_MAX) forgetOld();
      if (issued.size >= TICKETS_MAX) throw new NomosError("overloaded", { ticketsMax: TICKETS_MAX });
      const ticket = randomBytes(24).toString("hex");
      issued.set(hashOf(ticket), { actor, untilMs: clock.steadyMs() + PASS_TTL_MS });
      return { ticket, expiresAt: clock.iso(clock.nowMs() + PASS_TTL_MS) };
    },
    redeem: (ticket) => {
      const hash = hashOf(ticket);
      const found = issued.get(hash);
      issued.delete(hash);
      return found !== undefined && found.untilMs > clock.steadyMs() ? found.actor : null;
    },
  };
}

/** Looked up by hash, so that timing reveals nothing about the secret. */
function hashOf(ticket: string): string {
  return createHash("sha256").update(ticket).digest("hex");
}
