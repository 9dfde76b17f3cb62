import { type Actor, heldOf } from "../domains/index.ts";
import type { Roles } from "./roles.ts";

/** The actor of a session's driver process. */
export function sessionActor({ session, below }: Roles, sessionId: string): Actor {
  return { principal: `session:${sessionId}`, capabilities: session, sessionId, below };
}

/** A token limited to a session also reaches the sessions below it, within its own capabilities. */
export function withBelow({ below }: Roles, actor: Actor): Actor {
  return actor.sessionId === null ? actor : { ...actor, below: heldOf(actor.capabilities, below) };
}
