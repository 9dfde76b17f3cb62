import { type Actor, heldOf } from "../kernel/index.ts";
import type { Roles } from "./roles.ts";

/** A session's own driver process. */
export function sessionActor({ session, below }: Roles, sessionId: string): Actor {
  return { principal: `session:${sessionId}`, capabilities: session, sessionId, below };
}

/** A token that was issued for a session reaches the sessions below it as far as its own capabilities go. */
export function withBelow({ below }: Roles, actor: Actor): Actor {
  return actor.sessionId === null ? actor : { ...actor, below: heldOf(actor.capabilities, below) };
}
