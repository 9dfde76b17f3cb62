import { timingSafeEqual } from "node:crypto";
import { type Actor, heldOf } from "../kernel/index.ts";
import { hashSecret, type SessionProcesses, type Tokens } from "../supervisor/index.ts";
import { ROLES } from "../syscalls/index.ts";

const OPERATOR: Actor = { principal: "operator", capabilities: ROLES.operator, sessionId: null };

export interface Authenticator {
  /** Whom a secret speaks for: the operator, a session's own driver, or whoever was issued a scoped token. */
  readonly authenticate: (secret: string) => Promise<Actor | null>;
  /** The same actor as of now; null when its token is no longer good. For those who stay on with a ticket. */
  readonly recall: (actor: Actor) => Promise<Actor | null>;
}

export function createAuthenticator(operator: string, tokens: Tokens, processes: SessionProcesses): Authenticator {
  const operatorHash = Buffer.from(hashSecret(operator), "hex");
  return {
    authenticate: async (secret) => {
      const hash = hashSecret(secret);
      if (timingSafeEqual(Buffer.from(hash, "hex"), operatorHash)) return OPERATOR;
      const sessionId = processes.sessionOfToken(hash);
      if (sessionId !== null)
        return { principal: `session:${sessionId}`, capabilities: ROLES.session, sessionId, below: ROLES.below };
      return withBelow(await tokens.actorOf(secret));
    },
    recall: async ({ principal }) => {
      if (principal === OPERATOR.principal) return OPERATOR;
      const [, tokenId] = /^token:(.+)$/.exec(principal) ?? [];
      return tokenId === undefined ? null : withBelow(await tokens.actorById(tokenId));
    },
  };
}

/** A key that was issued for a session reaches those below it as far as its capabilities go. */
function withBelow(actor: Actor | null): Actor | null {
  if (actor === null || actor.sessionId === null) return actor;
  return { ...actor, below: heldOf(actor.capabilities, ROLES.below) };
}
