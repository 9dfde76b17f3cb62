import { AccessToken, TOKENS, type Token, type TokenState } from "../../domains/index.ts";
import type { Clock } from "../../host/index.ts";
import { streamOf } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";

/** Whether a token is good right now: issued, not revoked, within its time, and so is every token that it came from. */
export interface TokenStanding {
  readonly byId: (tokenId: string) => Promise<Standing>;
  readonly byRow: (row: TokenState | null) => Promise<Standing>;
  /** The token and those it came from, nearest first. */
  readonly chainOf: (tokenId: string) => Promise<readonly string[]>;
}

export type Standing =
  | { readonly is: "good"; readonly token: Token; readonly expiresAtMs: number | null; readonly depth: number }
  /** `expired`: its own time is over, and the log does not say so yet. */
  | { readonly is: "ended"; readonly expired: string | null };

export const TOKEN_PRINCIPAL = /^token:(.+)$/;

/** A token made by a token made by a token: more links than this are refused. */
export const CHAIN_MAX = 16;
const MAKERS_KNOWN_MAX = 10_000;
const ENDED: Standing = { is: "ended", expired: null };

export function createTokenStanding(
  store: Pick<Store, "row" | "readStream">,
  clock: Pick<Clock, "nowMs" | "steadyMs">,
): TokenStanding {
  const makers = new Map<string, string | null>();
  const isOver = createExpiry(clock);

  /** The first event's actor is whoever had it issued: the header says so for tokens of every version. */
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
 * Past its time by the wall clock, or longer known than it had left to live. A clock that is set back gives no token a
 * longer life, and what was over once stays over.
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
