import { type EventMap, fact, type Placed } from "./events.ts";
import { refuse } from "./refusal.ts";
import type { Decision } from "./session/decide-life.ts";

/** A scoped key: what it may do, for which session, until when. Only the hash of its secret is known here. */
export type TokenState =
  | { readonly at: "absent"; readonly version: number }
  | { readonly at: "valid"; readonly version: number; readonly token: Token }
  | { readonly at: "revoked"; readonly version: number };

export type Token = EventMap["token.issued@1"];

export const NEW_TOKEN: TokenState = { at: "absent", version: 0 };

export function tokenStream(tokenId: string): string {
  return `token/${tokenId}`;
}

/** A revocation is for good: what is issued again under the same id stays revoked. */
export function evolveToken(state: TokenState, event: Placed): TokenState {
  const { version } = event;
  if (event.fact?.type === "token.issued@1" && state.at === "absent")
    return { at: "valid", version, token: event.fact.data };
  if (event.fact?.type === "token.revoked@1") return { at: "revoked", version };
  return { ...state, version };
}

export function issueToken(token: Token): Decision {
  return [fact("token.issued@1", token)];
}

export function revokeToken(state: TokenState, tokenId: string): Decision {
  return state.at === "valid" ? [fact("token.revoked@1", {})] : refuse("token_revoked", { tokenId });
}
