import { timingSafeEqual } from "node:crypto";
import type { Actor } from "../domains/index.ts";
import { hashSecret, type SessionProcesses, type Tokens } from "../supervisor/index.ts";
import { sessionActor, withBelow } from "./actors.ts";
import { isLink, type Links } from "./dashboard/links.ts";
import type { Roles } from "./roles.ts";

export interface Authenticator {
  /** The actor behind a secret: the operator, a session's own driver, a token or a link; null when it is unknown. */
  readonly authenticate: (secret: string) => Promise<Actor | null>;
  /** The same actor as of now, for connections opened with a pass; null when its token has ended. */
  readonly recall: (actor: Actor) => Promise<Actor | null>;
}

export function createAuthenticator(given: {
  readonly operator: string;
  readonly tokens: Tokens;
  readonly links: Links;
  readonly processes: SessionProcesses;
  readonly roles: Roles;
}): Authenticator {
  const { tokens, links, processes, roles } = given;
  const operator: Actor = { principal: "operator", capabilities: roles.operator, sessionId: null };
  const operatorSecret = Buffer.from(given.operator);
  const reaching = (actor: Actor | null): Actor | null => (actor === null ? null : withBelow(roles, actor));
  return {
    authenticate: async (secret) => {
      const bytes = Buffer.from(secret);
      // The length is no secret: all operator tokens have the same.
      if (bytes.length === operatorSecret.length && timingSafeEqual(bytes, operatorSecret)) return operator;
      if (isLink(secret)) return links.holderOf(secret);
      const sessionId = processes.sessionOfToken(hashSecret(secret));
      if (sessionId !== null) return sessionActor(roles, sessionId);
      return reaching(await tokens.actorOf(secret));
    },
    recall: async ({ principal }) => {
      if (principal === operator.principal) return operator;
      const [, tokenId] = /^token:(.+)$/.exec(principal) ?? [];
      return tokenId === undefined ? null : reaching(await tokens.actorById(tokenId));
    },
  };
}
