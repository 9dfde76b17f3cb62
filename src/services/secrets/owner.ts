import { AccessToken, narrows, type SecretPlace, TOKEN_EVENTS } from "../../domains/index.ts";
import { dataIn, SESSIONS, sessionStream, streamOf } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";

export const OPERATOR = "operator";

/** Whose secrets a principal or a session works with. */
export interface Owners {
  readonly ofPrincipal: (principal: string) => Promise<string>;
  /** Null when there is no such session. */
  readonly placeOf: (sessionId: string) => Promise<SecretPlace | null>;
}

/** Sessions start sessions; a longer chain cannot be made. */
const CHAIN_MAX = 64;
const OF_TOKEN = /^token:(.+)$/;
const OF_SESSION = /^session:(.+)$/;

export function createOwners(store: Pick<Store, "row" | "readStream">, operatorHolds: readonly string[]): Owners {
  const firstEvent = async (stream: string): Promise<RecordedEvent | null> =>
    (await store.readStream(stream, { limit: 1 })).events[0] ?? null;

  /** A browser that the operator signed in holds everything and no floor: it is the operator. */
  const isOperatorsToken = async (tokenId: string): Promise<boolean> => {
    const first = await firstEvent(streamOf(AccessToken, tokenId));
    const issued = first === null ? null : dataIn(TOKEN_EVENTS, [first], "token.issued@1");
    if (issued === null || issued.sandbox !== "off" || issued.sessionId !== null) return false;
    return narrows(issued.capabilities, operatorHolds);
  };
  const ofPrincipal = async (given: string): Promise<string> => {
    let principal = given;
    for (let links = 0; links < CHAIN_MAX; links += 1) {
      const sessionId = OF_SESSION.exec(principal)?.[1];
      if (sessionId === undefined) break;
      // A session works for whoever opened it.
      const opened = await firstEvent(sessionStream(sessionId));
      if (opened === null) return given;
      principal = opened.actor;
    }
    if (principal === "daemon") return OPERATOR;
    const tokenId = OF_TOKEN.exec(principal)?.[1];
    return tokenId !== undefined && (await isOperatorsToken(tokenId)) ? OPERATOR : principal;
  };

  return {
    ofPrincipal,
    placeOf: async (sessionId) => {
      const row = await store.row(SESSIONS, sessionId);
      if (row === null) return null;
      const { workspace, agent } = row;
      return { workspace, agent, sessionId, owner: await ofPrincipal(`session:${sessionId}`) };
    },
  };
}
