import type { AuthProvider, refreshAuthorization } from "@modelcontextprotocol/client";
import type { Clock } from "../../../host/index.ts";
import { memberOf } from "../../../kernel/index.ts";
import { loginNeeded, serverFailed } from "../server-failed.ts";
import type { Fetch } from "../transport/bounded-fetch.ts";
import type { StoredLogin, TokenFile } from "./token-file.ts";

export interface ServerAuthParts {
  readonly server: string;
  readonly url: string;
  readonly file: TokenFile;
  readonly clock: Clock;
  readonly fetch: Fetch;
}

/** A token that ends sooner than this, or than a quarter of its life, is refreshed before it is used. */
const EARLY_MS = 30_000;
const JUST_NOW_MS = 2_000;
/** After these the login is over; any other failure may pass. */
const OVER: readonly unknown[] = ["invalid_grant", "invalid_client", "unauthorized_client"];

type RefreshOptions = Parameters<typeof refreshAuthorization>[1];

/** The tokens of a login for the library. However many calls and processes need a new one at once, it is refreshed once. */
export function createServerAuth({ server, url, file, clock, fetch }: ServerAuthParts): AuthProvider {
  let used: string | undefined;
  let refreshing: Promise<void> | null = null;
  let refreshedAtMs = Number.NEGATIVE_INFINITY;

  const refresh = async (login: StoredLogin): Promise<void> => {
    const { tokens, client, authorizationServer, metadata, resource } = login;
    if (tokens?.refresh_token === undefined || client === undefined || authorizationServer === undefined)
      throw loginNeeded(server);
    const { refreshAuthorization } = await import("@modelcontextprotocol/client");
    try {
      const fresh = await refreshAuthorization(authorizationServer, {
        clientInformation: client,
        refreshToken: tokens.refresh_token,
        fetchFn: fetch,
        ...(metadata === undefined ? {} : { metadata: metadata as NonNullable<RefreshOptions["metadata"]> }),
        ...(resource === undefined ? {} : { resource }),
      });
      await file.write({ ...login, tokens: { ...fresh }, expiresAtMs: expiry(fresh.expires_in, clock) });
    } catch (thrown) {
      if (!OVER.includes(memberOf(thrown, "code")))
        throw serverFailed(server, "its login could not be refreshed", thrown);
      const { tokens: _over, ...rest } = login;
      await file.write(rest);
      throw loginNeeded(server);
    }
  };

  /** `before`: the token that no longer works. Another process may have replaced it meanwhile. */
  const refreshed = (before: string | undefined): Promise<void> => {
    refreshing ??= file
      .alone(async () => {
        const login = await loginFor(file, url);
        if (login?.tokens === undefined) throw loginNeeded(server);
        if (login.tokens.access_token === before) await refresh(login);
        refreshedAtMs = clock.steadyMs();
      })
      .finally(() => {
        refreshing = null;
      });
    return refreshing;
  };

  return {
    token: async () => {
      let login = await loginFor(file, url);
      if (login?.tokens?.refresh_token !== undefined && isLate(login, clock)) {
        await refreshed(login.tokens.access_token);
        login = await loginFor(file, url);
      }
      used = login?.tokens?.access_token;
      return used;
    },
    onUnauthorized: async () => {
      if (used === undefined) throw loginNeeded(server);
      // Another call has just replaced the token that this one was sent with.
      if (clock.steadyMs() - refreshedAtMs > JUST_NOW_MS) await refreshed(used);
    },
  };
}

function isLate({ expiresAtMs, tokens }: StoredLogin, clock: Clock): boolean {
  const livesS = tokens?.["expires_in"];
  if (expiresAtMs == null || typeof livesS !== "number") return false;
  return expiresAtMs - Math.min(EARLY_MS, livesS * 250) < clock.nowMs();
}

/** A login belongs to one address: nobody gets its tokens by changing the server's `url`. */
export async function loginFor(file: TokenFile, url: string): Promise<StoredLogin | null> {
  const login = await file.read();
  return login?.url === url ? login : null;
}

export function expiry(expiresInS: number | undefined, clock: Clock): number | null {
  return expiresInS === undefined ? null : clock.nowMs() + expiresInS * 1000;
}
