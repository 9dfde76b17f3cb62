import { hash, randomBytes } from "node:crypto";
import { NomosError } from "../contract/index.ts";
import type { Clock } from "../host/index.ts";
import {
  type Actor,
  issueToken,
  narrows,
  revokeToken,
  type Token,
  type TokenState,
  tokenStream,
} from "../kernel/index.ts";
import type { RecordedEvent, Store } from "../store/index.ts";
import type { By, Committer } from "./committer.ts";

/** Scoped keys. The secret is shown once; the log knows only its hash. */
export interface Tokens {
  readonly issue: (
    input: {
      readonly label: string;
      readonly capabilities: readonly string[];
      readonly sessionId: string | null;
      readonly ttlMs: number | null;
    },
    maker: Actor,
    by: By,
  ) => Promise<{ readonly secret: string; readonly events: readonly RecordedEvent[] }>;
  readonly revoke: (tokenId: string, by: By) => Promise<readonly RecordedEvent[]>;
  readonly list: () => Promise<readonly Token[]>;
  /** Whom a secret speaks for; null when it is unknown, revoked or past its time. */
  readonly actorOf: (secret: string) => Promise<Actor | null>;
  /** The same for a token that was shown before, such as by whoever keeps a connection open. */
  readonly actorById: (tokenId: string) => Promise<Actor | null>;
  /** Calls `ended` once the principal's token is no longer good, for as long as somebody stays on with it. Returns the way to stop. */
  readonly watch: (principal: string, ended: () => void) => () => void;
}

const TOKEN_PRINCIPAL = /^token:(.+)$/;

const TOKENS_MAX = 1000;

export function createTokens(store: Store, committer: Committer, clock: Clock, newId: () => string): Tokens {
  const valid = (row: string): Token | null => {
    const state: TokenState = JSON.parse(row);
    if (state.at !== "valid") return null;
    const { expiresAtMs } = state.token;
    return expiresAtMs !== null && expiresAtMs <= clock.nowMs() ? null : state.token;
  };
  const actorIn = (row: string | null): Actor | null => {
    const token = row === null ? null : valid(row);
    if (token === null) return null;
    return { principal: `token:${token.tokenId}`, capabilities: token.capabilities, sessionId: token.sessionId };
  };
  const watchToken = (tokenId: string, ended: () => void): (() => void) => {
    let cancelExpiry = (): void => undefined;
    let isOver = false;
    const stopListening = store.onAppend((events) => {
      if (events.some(({ stream, type }) => stream === tokenStream(tokenId) && type === "token.revoked@1")) ended();
    });
    store.row("token", tokenId).then((row) => {
      const token = row === null ? null : valid(row);
      if (token === null) return ended();
      if (token.expiresAtMs !== null && !isOver) cancelExpiry = clock.after(token.expiresAtMs - clock.nowMs(), ended);
    }, ended);
    return () => {
      isOver = true;
      stopListening();
      cancelExpiry();
    };
  };
  return {
    issue: async (input, maker, by) => {
      if (!narrows(maker.capabilities, input.capabilities))
        throw new NomosError("denied", { rules: ["no_widening"], held: [...maker.capabilities] });
      const { label, capabilities, sessionId, ttlMs } = input;
      const tokenId = newId();
      const secret = `nmt_${randomBytes(24).toString("hex")}`;
      const token: Token = {
        tokenId,
        secretHash: hashSecret(secret),
        label,
        capabilities,
        sessionId,
        expiresAtMs: ttlMs === null ? null : clock.nowMs() + ttlMs,
      };
      const { events } = await committer.change(tokenStream(tokenId), () => issueToken(token), by);
      return { secret, events };
    },
    revoke: async (tokenId, by) => {
      if ((await store.row("token", tokenId)) === null) throw new NomosError("token_not_found", { tokenId });
      const decide = (state: TokenState) => revokeToken(state, tokenId);
      return (
        await committer.change(
          tokenStream(tokenId),
          (folded) => decide(folded.kind === "token" ? folded.state : { at: "absent", version: 0 }),
          by,
        )
      ).events;
    },
    list: async () => (await store.rows("token", { limit: TOKENS_MAX })).flatMap((row) => valid(row) ?? []),
    actorOf: async (secret) => actorIn(await store.tokenBySecretHash(hashSecret(secret))),
    actorById: async (tokenId) => actorIn(await store.row("token", tokenId)),
    watch: (principal, ended) => {
      const tokenId = TOKEN_PRINCIPAL.exec(principal)?.[1];
      return tokenId === undefined ? () => undefined : watchToken(tokenId, ended);
    },
  };
}

export function hashSecret(secret: string): string {
  return hash("sha256", secret);
}
