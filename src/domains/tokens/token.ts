import {
  type DataOf,
  type Decision,
  defineAggregate,
  defineList,
  event,
  type FactOf,
  factsOf,
  type Placed,
  putRow,
  refuse,
  type SandboxMode,
} from "../../kernel/index.ts";

export const TOKEN_EVENTS = {
  "token.issued@1": event<{
    /** The weakest sandbox mode in which it may start and drive sessions. Absent: `strict`. */
    readonly sandbox?: SandboxMode;
    readonly tokenId: string;
    readonly secretHash: string;
    readonly label: string;
    readonly capabilities: readonly string[];
    readonly sessionId: string | null;
    readonly expiresAtMs: number | null;
  }>({ spaceNeed: "start" }),
  "token.revoked@1": event<Record<string, never>>(),
};

const fact = factsOf(TOKEN_EVENTS);

/** A scoped token: what it may do, for which session, until when. Only the hash of its secret is stored. */
export type TokenState =
  | { readonly at: "absent"; readonly version: number }
  | { readonly at: "valid"; readonly version: number; readonly token: Token }
  | { readonly at: "revoked"; readonly version: number };

export type Token = DataOf<(typeof TOKEN_EVENTS)["token.issued@1"]>;

export const NEW_TOKEN: TokenState = { at: "absent", version: 0 };

/** A revoked id stays revoked, also if a token is issued under it again. */
function evolveToken(state: TokenState, event: Placed<FactOf<typeof TOKEN_EVENTS>>): TokenState {
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

export const TOKENS = defineList<TokenState>()({
  name: "token",
  table: "tokens",
  keys: { secret: { text: (state) => (state.at === "valid" ? state.token.secretHash : null), indexed: true } },
});

export const AccessToken = defineAggregate({
  kind: "token",
  events: TOKEN_EVENTS,
  lists: [TOKENS],
  empty: () => NEW_TOKEN,
  evolve: evolveToken,
  ownRows: (state, tokenId) => [putRow(TOKENS, tokenId, state)],
});
