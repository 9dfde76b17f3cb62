import { timingSafeEqual } from "node:crypto";
import { type Actor, heldOf } from "../kernel/index.ts";
import { hashSecret, type SessionProcesses, type Tokens } from "../supervisor/index.ts";
import { capabilitiesOf, OPERATOR_CAPABILITIES, type Syscall } from "../syscalls/index.ts";

const OPERATOR: Actor = { principal: "operator", capabilities: OPERATOR_CAPABILITIES, sessionId: null };

export interface Authenticator {
  /** The actor behind a secret: the operator, a session's own driver, or a scoped token; null when it is unknown. */
  readonly authenticate: (secret: string) => Promise<Actor | null>;
  /** The same actor as of now, for connections opened with a pass; null when its token has ended. */
  readonly recall: (actor: Actor) => Promise<Actor | null>;
}

export function createAuthenticator(given: {
  readonly operator: string;
  readonly tokens: Tokens;
  readonly processes: SessionProcesses;
  readonly syscalls: readonly Syscall[];
}): Authenticator {
  const { operator, tokens, processes, syscalls } = given;
  const ofSession = capabilitiesOf("session", syscalls);
  const ofBelow = capabilitiesOf("below", syscalls);
  /** A key that was issued for a session reaches the sessions below it as far as its own capabilities go. */
  const withBelow = (actor: Actor | null): Actor | null => {
    if (actor === null || actor.sessionId === null) return actor;
    return { ...actor, below: heldOf(actor.capabilities, ofBelow) };
  };
  const operatorHash = Buffer.from(hashSecret(operator), "hex");
  return {
    authenticate: async (secret) => {
      const hash = hashSecret(secret);
      if (timingSafeEqual(Buffer.from(hash, "hex"), operatorHash)) return OPERATOR;
      const sessionId = processes.sessionOfToken(hash);
      if (sessionId !== null)
        return { principal: `session:${sessionId}`, capabilities: ofSession, sessionId, below: ofBelow };
      return withBelow(await tokens.actorOf(secret));
    },
    recall: async ({ principal }) => {
      if (principal === OPERATOR.principal) return OPERATOR;
      const [, tokenId] = /^token:(.+)$/.exec(principal) ?? [];
      return tokenId === undefined ? null : withBelow(await tokens.actorById(tokenId));
    },
  };
}
