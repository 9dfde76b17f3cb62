import { hash, randomBytes } from "node:crypto";
import type { By, Committer } from "../../commit/index.ts";
import { NomosError, toNomosError } from "../../contract/index.ts";
import {
  AccessToken,
  type Actor,
  issueToken,
  narrows,
  revokeToken,
  TOKENS,
  type Token,
  type TokenState,
} from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { type SandboxMode, SESSIONS, streamOf } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { isWeaker, stricter } from "../life/sandbox-choice.ts";
import {
  CHAIN_MAX,
  createTokenStanding,
  earlier,
  type Standing,
  TOKEN_PRINCIPAL,
  type TokenStanding,
} from "./token-standing.ts";

/** Scoped tokens. The secret is shown once; the log holds only its hash. */
export interface Tokens {
  readonly issue: (
    input: {
      readonly label: string;
      readonly capabilities: readonly string[];
      readonly sessionId: string | null;
      readonly ttlMs: number | null;
      /** Null: the session's own mode if the token is confined to one session, else `strict`. */
      readonly sandbox: SandboxMode | null;
      /** Default: a new one. */
      readonly secret?: string;
    },
    maker: Actor,
    by: By,
  ) => Promise<{ readonly secret: string; readonly events: readonly RecordedEvent[] }>;
  /** Ends the token and every token issued with it. */
  readonly revoke: (tokenId: string, by: By) => Promise<readonly RecordedEvent[]>;
  readonly list: () => Promise<readonly (Token & { readonly sandbox: SandboxMode })[]>;
  /** The actor of a secret; null when the token or one of its makers is unknown, revoked or expired. */
  readonly actorOf: (secret: string) => Promise<Actor | null>;
  /** The same for a token that was verified before, for example by an open connection. */
  readonly actorById: (tokenId: string) => Promise<Actor | null>;
  /** Calls `ended` when the principal's token is no longer valid. Returns a function that stops watching. */
  readonly watch: (principal: string, ended: () => void) => () => void;
}

export interface TokensDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Calls `ended` when the last token of a session's processes is void. */
  readonly whenKeyless: (sessionId: string, ended: () => void) => () => void;
}

const SESSION_PRINCIPAL = /^session:(.+)$/;
const ROWS_AT_FIRST = 1000;
/** Checks open connections again, so that setting the clock does not keep them open. */
const LOOK_AGAIN_MS = 60_000;
const FLOOR: SandboxMode = "strict";

export function createTokens({ store, committer, clock, newId, whenKeyless }: TokensDeps): Tokens {
  const standing = createTokenStanding(store, clock);

  /** An expired token is revoked when it is used, so that setting the clock back does not revive it. */
  const settle = async (found: Standing): Promise<Actor | null> => {
    if (found.is === "good") return actorOf(found.token);
    if (found.expired !== null) await end(found.expired, { actor: "daemon" }).catch(unlessRefused);
    return null;
  };
  const end = async (tokenId: string, by: By): Promise<readonly RecordedEvent[]> => {
    const { events } = await committer.change(AccessToken, tokenId, (state) => revokeToken(state, tokenId), by);
    return events;
  };
  const floorFor = async (sessionId: string | null): Promise<SandboxMode> => {
    const session = sessionId === null ? null : await store.row(SESSIONS, sessionId);
    return session?.sandbox ?? FLOOR;
  };
  const makerStanding = async ({ principal }: Actor): Promise<Standing | null> => {
    const tokenId = TOKEN_PRINCIPAL.exec(principal)?.[1];
    return tokenId === undefined ? null : standing.byId(tokenId);
  };

  return {
    issue: async (input, maker, by) => {
      const { label, capabilities, sessionId, ttlMs } = input;
      if (!narrows(maker.capabilities, capabilities))
        throw new NomosError("denied", { rules: ["no_widening"], held: [...maker.capabilities] });
      const from = await makerStanding(maker);
      if (from?.is === "ended") throw new NomosError("unauthorized");
      if (from !== null && from.depth >= CHAIN_MAX)
        throw new NomosError("denied", { rules: ["maker_chain"], chainMax: CHAIN_MAX });
      const floor = maker.floor ?? "off";
      const sandbox = input.sandbox ?? stricter(await floorFor(sessionId), floor);
      if (isWeaker(sandbox, floor)) throw new NomosError("sandbox_floor", { asked: sandbox, floor });
      const tokenId = newId();
      const secret = input.secret ?? `nmt_${randomBytes(24).toString("hex")}`;
      const ownEndMs = ttlMs === null ? null : clock.nowMs() + ttlMs;
      const token: Token = {
        tokenId,
        secretHash: hashSecret(secret),
        label,
        capabilities,
        sessionId,
        expiresAtMs: earlier(ownEndMs, from?.expiresAtMs ?? null),
        ...(sandbox === FLOOR ? {} : { sandbox }),
      };
      const { events } = await committer.change(AccessToken, tokenId, () => issueToken(token), by);
      return { secret, events };
    },
    revoke: async (tokenId, by) => {
      if ((await store.row(TOKENS, tokenId)) === null) throw new NomosError("token_not_found", { tokenId });
      return end(tokenId, by);
    },
    list: async () => {
      const all = await Promise.all((await allTokens(store)).map(standing.byRow));
      return all.flatMap((one) => (one.is === "good" ? [{ ...one.token, sandbox: one.token.sandbox ?? FLOOR }] : []));
    },
    actorOf: async (secret) => {
      const [row = null] = await store.rows(TOKENS, { limit: 1, where: { secret: hashSecret(secret) } });
      return settle(await standing.byRow(row));
    },
    actorById: async (tokenId) => settle(await standing.byId(tokenId)),
    watch: (principal, ended) => {
      const sessionId = SESSION_PRINCIPAL.exec(principal)?.[1];
      if (sessionId !== undefined) return whenKeyless(sessionId, ended);
      const tokenId = TOKEN_PRINCIPAL.exec(principal)?.[1];
      return tokenId === undefined ? () => undefined : watchToken(tokenId, { store, clock, standing, ended });
    },
  };
}

/** The rows of all tokens. Rows of revoked tokens have no id to page by, so the limit is raised until all fit. */
export async function allTokens(store: Pick<Store, "rows">): Promise<readonly TokenState[]> {
  for (let limit = ROWS_AT_FIRST; ; limit *= 10) {
    const rows = await store.rows(TOKENS, { limit });
    if (rows.length < limit) return rows;
  }
}

interface Watched {
  readonly store: Pick<Store, "onAppend">;
  readonly clock: Clock;
  readonly standing: TokenStanding;
  readonly ended: () => void;
}

/** Ends when the token or one of its makers is revoked or expires. */
function watchToken(tokenId: string, { store, clock, standing, ended }: Watched): () => void {
  let streams = new Set([streamOf(AccessToken, tokenId)]);
  let cancel = (): void => undefined;
  let isOver = false;
  const stop = (): void => {
    isOver = true;
    stopListening();
    cancel();
  };
  const end = (): void => {
    if (isOver) return;
    stop();
    ended();
  };
  const stopListening = store.onAppend((events) => {
    if (events.some(({ stream, type }) => type === "token.revoked@1" && streams.has(stream))) end();
  });
  const look = async (): Promise<void> => {
    streams = new Set((await standing.chainOf(tokenId)).map((id) => streamOf(AccessToken, id)));
    const found = await standing.byId(tokenId);
    if (found.is === "ended") return end();
    if (found.expiresAtMs === null || isOver) return;
    const restMs = Math.max(0, found.expiresAtMs - clock.nowMs());
    cancel = clock.after(Math.min(restMs, LOOK_AGAIN_MS), lookAgain);
  };
  const lookAgain = (): void => void look().catch(end);
  lookAgain();
  return stop;
}

function actorOf({ tokenId, capabilities, sessionId, sandbox }: Token): Actor {
  return { principal: `token:${tokenId}`, capabilities, sessionId, floor: sandbox ?? FLOOR };
}

/** Recording failed: another call revoked it first, or there is no space. The token is refused anyway. */
function unlessRefused(thrown: unknown): void {
  if (toNomosError(thrown).code === "internal") throw thrown;
}

export function hashSecret(secret: string): string {
  return hash("sha256", secret);
}
