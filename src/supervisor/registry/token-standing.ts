import { AccessToken, TOKENS, type Token, type TokenState } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { streamOf } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";

/** Whether a token is valid now: issued, not revoked, not expired, and so are all its makers. */
export interface TokenStanding {
  readonly byId: (tokenId: string) => Promise<Standing>;
  readonly byRow: (row: TokenState | null) => Promise<Standing>;
  /** The token and its makers, nearest first. */
  readonly chainOf: (tokenId: string) => Promise<readonly string[]>;
}

export type Standing =
  | { readonly is: "good"; readonly token: Token; readonly expiresAtMs: number | null; readonly depth: number }
  /** `expired`: the id of a token that has expired but is not recorded as ended. */
  | { readonly is: "ended"; readonly expired: string | null };

export const TOKEN_PRINCIPAL = /^token:(.+)$/;

/** Longest chain of makers; longer ones are refused. */
export const CHAIN_MAX = 16;
const MAKERS_KNOWN_MAX = 10_000;
const ENDED: Standing = { is: "ended", expired: null };

export function createTokenStanding(
  store: Pick<Store, "row" | "readStream">,
  clock: Pick<Clock, "nowMs" | "steadyMs">,
): TokenStanding {
  const makers = new Map<string, string | null>();
  const isOver = createExpiry(clock);

  /** The actor of the first event is the maker. The header has it in every version of the event. */
  const makerOf = async (tokenId: string): Promise<string | null> => {
    const known = makers.get(tokenId);
    if (known !== undefined) return known;
    const { events } = await store.readStream(streamOf(AccessToken, tokenId), { limit: 1 });
    const maker = TOKEN_PRINCIPAL.exec(events[0]?.actor ?? "")?.[1] ?? null;
    if (makers.size >= MAKERS_KNOWN_MAX) makers.delete(makers.keys().next().value ?? "");
    if (events[0] !== undefined) makers.set(tokenId, maker);
    return maker;
  };

  const byRow = async (row: TokenState | null): Promise<Standing> => {
    let expiresAtMs: number | null = null;
    let first: Token | null = null;
    let depth = 0;
    for (let state = row; ; depth += 1) {
      if (state?.at !== "valid" || depth > CHAIN_MAX) return ENDED;
      if (isOver(state.token)) return { is: "ended", expired: state.token.tokenId };
      first ??= state.token;
      expiresAtMs = earlier(expiresAtMs, state.token.expiresAtMs);
      const maker = await makerOf(state.token.tokenId);
      if (maker === null) return { is: "good", token: first, expiresAtMs, depth };
      state = await store.row(TOKENS, maker);
    }
  };

  return {
    byRow,
    byId: async (tokenId) => byRow(await store.row(TOKENS, tokenId)),
    chainOf: async (tokenId) => {
      const chain = [tokenId];
      for (let at = await makerOf(tokenId); at !== null && chain.length <= CHAIN_MAX; at = await makerOf(at))
        chain.push(at);
      return chain;
    },
  };
}

export function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/**
 * Expired by the wall clock, or by the time that passed since the token was first seen. Setting the clock back therefore
 * extends no token's life and revives none.
 */
function createExpiry(clock: Pick<Clock, "nowMs" | "steadyMs">): (token: Token) => boolean {
  const deadlinesMs = new Map<string, number>();
  return ({ tokenId, expiresAtMs }) => {
    if (expiresAtMs === null) return false;
    const nowMs = clock.steadyMs();
    const deadlineMs = Math.min(
      deadlinesMs.get(tokenId) ?? Number.POSITIVE_INFINITY,
      nowMs + expiresAtMs - clock.nowMs(),
    );
    deadlinesMs.set(tokenId, deadlineMs);
    return deadlineMs <= nowMs;
  };
}
