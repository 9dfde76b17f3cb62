import { hash, randomBytes } from "node:crypto";
import type { By, Committer } from "../../commit/index.ts";
import { NomosError, toNomosError } from "../../contract/index.ts";
import { AccessToken, issueToken, revokeToken, TOKENS, type Token, type TokenState } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { type Actor, narrows, type SandboxMode, SESSIONS, streamOf } from "../../kernel/index.ts";
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

/** Scoped keys. The secret is shown once; the log knows only its hash. */
export interface Tokens {
  readonly issue: (
    input: {
      readonly label: string;
      readonly capabilities: readonly string[];
      readonly sessionId: string | null;
      readonly ttlMs: number | null;
      /** Null: the session's own mode where it is confined to one, else `strict`. */
      readonly sandbox: SandboxMode | null;
    },
    maker: Actor,
    by: By,
  ) => Promise<{ readonly secret: string; readonly events: readonly RecordedEvent[] }>;
  /** Ends the token, and with it every token that was issued with it. */
  readonly revoke: (tokenId: string, by: By) => Promise<readonly RecordedEvent[]>;
  readonly list: () => Promise<readonly (Token & { readonly sandbox: SandboxMode })[]>;
  /** Whom a secret speaks for; null when it is unknown, revoked or past its time, or the token it came from is. */
  readonly actorOf: (secret: string) => Promise<Actor | null>;
  /** The same for a token that was shown before, such as by whoever keeps a connection open. */
  readonly actorById: (tokenId: string) => Promise<Actor | null>;
  /** Calls `ended` once the principal's token is no longer good, for as long as somebody stays on with it. Returns the way to stop. */
  readonly watch: (principal: string, ended: () => void) => () => void;
}

export interface TokensDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Calls back when the last key of a session's processes is void. */
  readonly whenKeyless: (sessionId: string, ended: () => void) => () => void;
}

const SESSION_PRINCIPAL = /^session:(.+)$/;
const ROWS_AT_FIRST = 1000;
/** Whoever stays on is looked at again, so that a clock that was set does not let them stay. */
const LOOK_AGAIN_MS = 60_000;
const FLOOR: SandboxMode = "strict";

export function createTokens({ store, committer, clock, newId, whenKeyless }: TokensDeps): Tokens {
  const standing = createTokenStanding(store, clock);

  /** A token that was shown after its time is revoked for good: a clock that is set back does not bring it back. */
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
      const secret = `nmt_${randomBytes(24).toString("hex")}`;
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

/** Every token's row, the revoked ones too: those do not name their id, so there is nothing to page by. */
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

/** Ends with the token or with any token that it came from, by revocation or by time. */
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

/** Somebody else revoked it meanwhile, or there is no room to say so: it is refused all the same. */
function unlessRefused(thrown: unknown): void {
  if (toNomosError(thrown).code === "internal") throw thrown;
}

export function hashSecret(secret: string): string {
  return hash("sha256", secret);
}
