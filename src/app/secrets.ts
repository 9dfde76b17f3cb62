import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { readSmallFile, writeFileAtomic } from "../host/index.ts";
import type { Actor } from "../kernel/index.ts";
import { hashSecret, type SessionProcesses, type Tokens } from "../supervisor/index.ts";
import { ROLES, sessionActor, withBelow } from "../syscalls/index.ts";

const OPERATOR: Actor = { principal: "operator", capabilities: ROLES.operator, sessionId: null };
const TOKEN_BYTES_MAX = 1024;
const TOKEN_FORM = /^nmo_[0-9a-f]{64}$/;

/** The operator's token: made once, readable by its owner only. */
export async function operatorToken(home: string): Promise<string> {
  const path = join(home, "token");
  const known = await readSmallFile(path, TOKEN_BYTES_MAX).then(
    (text) => (text ?? "").trim(),
    () => "",
  );
  if (TOKEN_FORM.test(known)) {
    await chmod(path, 0o600);
    return known;
  }
  const token = `nmo_${randomBytes(32).toString("hex")}`;
  await writeFileAtomic(path, Buffer.from(`${token}\n`), { mode: 0o600 });
  return token;
}

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
      if (sessionId !== null) return sessionActor(ROLES, sessionId);
      const actor = await tokens.actorOf(secret);
      return actor === null ? null : withBelow(ROLES, actor);
    },
    recall: async ({ principal }) => {
      if (principal === OPERATOR.principal) return OPERATOR;
      const [, tokenId] = /^token:(.+)$/.exec(principal) ?? [];
      const actor = tokenId === undefined ? null : await tokens.actorById(tokenId);
      return actor === null ? null : withBelow(ROLES, actor);
    },
  };
}
