import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type {
  AuthProvider,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { NomosError } from "../../../contract/index.ts";
import type { Clock } from "../../../host/index.ts";
import type { Fetch } from "../transport/bounded-fetch.ts";
import { openReturnPage, type ReturnPage } from "./return-page.ts";
import { createServerAuth, expiry, loginFor } from "./server-auth.ts";
import { openTokenFile, type StoredLogin, type TokenFile } from "./token-file.ts";

/** Logins to MCP servers by OAuth: the person opens a page, the tokens stay in the home. */
export interface McpLogins {
  readonly auth: (server: string, url: string) => AuthProvider;
  /** Says which page to open. The login goes on in the background until the person did, or the time is over. */
  readonly begin: (server: string, url: string) => Promise<{ readonly page: string; readonly expiresInS: number }>;
  /** Null: nobody has logged in. */
  readonly state: (server: string, url: string) => Promise<"ok" | "over" | null>;
  readonly forget: (server: string) => Promise<void>;
  readonly stop: () => void;
}

export interface McpLoginDeps {
  readonly home: string;
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly onLogin: (server: string) => Promise<void>;
  readonly log: (message: string, details: object) => void;
}

const EXPIRES_S = 600;

export function createMcpLogins(deps: McpLoginDeps): McpLogins {
  const { home, clock, fetch, log } = deps;
  const fileOf = (server: string): TokenFile => openTokenFile(join(home, "keys", "mcp", `${server}.json`), clock);
  const auths = new Map<string, AuthProvider>();
  const running = new Map<string, () => void>();

  const finish = async (server: string, attempt: Attempt): Promise<void> => {
    const cancel = clock.after(EXPIRES_S * 1000, attempt.page.close);
    try {
      await attempt.finish(await attempt.page.visited);
      log("logged in to an MCP server", { server });
      await deps.onLogin(server);
    } catch (thrown) {
      log("a login to an MCP server failed", { server, reason: thrown instanceof Error ? thrown.message : "unknown" });
    } finally {
      cancel();
      attempt.page.close();
      if (running.get(server) === attempt.page.close) running.delete(server);
    }
  };

  return {
    auth: (server, url) => {
      const key = `${server}\n${url}`;
      const known = auths.get(key) ?? createServerAuth({ server, url, file: fileOf(server), clock, fetch });
      auths.set(key, known);
      return known;
    },
    begin: async (server, url) => {
      running.get(server)?.();
      const attempt = await beginAttempt({ server, url, file: fileOf(server), clock, fetch });
      running.set(server, attempt.page.close);
      void finish(server, attempt);
      return { page: attempt.address, expiresInS: EXPIRES_S };
    },
    state: async (server, url) => {
      const login = await loginFor(fileOf(server), url);
      if (login === null) return null;
      return login.tokens === undefined ? "over" : "ok";
    },
    forget: async (server) => {
      running.get(server)?.();
      await fileOf(server).remove();
    },
    stop: () => {
      for (const close of running.values()) close();
    },
  };
}

interface Attempt {
  readonly address: string;
  readonly page: ReturnPage;
  readonly finish: (answer: URLSearchParams) => Promise<void>;
}

interface AttemptParts {
  readonly server: string;
  readonly url: string;
  readonly file: TokenFile;
  readonly clock: Clock;
  readonly fetch: Fetch;
}

/** Asks the server who logs people in, registers with them if need be, and makes the page's address. */
async function beginAttempt(parts: AttemptParts): Promise<Attempt> {
  const { server, url, file, fetch } = parts;
  const { auth } = await import("@modelcontextprotocol/client");
  const challenge = await challengeOf(server, url, fetch);
  const before = await loginFor(file, url);
  const state = randomBytes(24).toString("base64url");
  const page = await openReturnPage(portOf(before), state);
  const provider = createProvider(parts, before, page.redirectUrl, state);
  const options = { serverUrl: url, fetchFn: fetch, ...challenge };
  try {
    await auth(provider, options);
    const address = provider.address();
    if (address === null) throw new Error("it named no page");
    return {
      address,
      page,
      finish: async (answer) => {
        const code = answer.get("code");
        if (code === null) throw new Error(`the answer was ${answer.get("error") ?? "no code"}`);
        const iss = answer.get("iss");
        await auth(provider, { ...options, authorizationCode: code, ...(iss === null ? {} : { iss }) });
      },
    };
  } catch (thrown) {
    page.close();
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new NomosError("mcp_login_failed", { server }, { message: `${server}: ${reason}`, cause: thrown });
  }
}

const NO_ENTRY = [401, 403];

/** The first request without a token tells where to log in. */
async function challengeOf(server: string, url: string, fetch: Fetch) {
  const { extractWWWAuthenticateParams, LATEST_PROTOCOL_VERSION } = await import("@modelcontextprotocol/client");
  const clientInfo = { name: "nomos", version: "0" };
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    signal: AbortSignal.timeout(CHALLENGE_MS),
  }).catch((thrown: unknown) => {
    const message = `${server} cannot be reached at ${new URL(url).origin}.`;
    throw new NomosError("mcp_login_failed", { server }, { message, cause: thrown });
  });
  await response.body?.cancel();
  if (!NO_ENTRY.includes(response.status)) {
    const message = `${server} asks for no login: it answered with ${response.status}.`;
    throw new NomosError("mcp_login_unsupported", { server, status: response.status }, { message });
  }
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
}

const CHALLENGE_MS = 15_000;

/** The port that the registered client names; many servers want the very same address again. */
function portOf(before: StoredLogin | null): number {
  const [address] = before?.client?.redirect_uris ?? [];
  return address !== undefined && URL.canParse(address) ? Number(new URL(address).port) : 0;
}

function createProvider(
  { url, file, clock }: AttemptParts,
  before: StoredLogin | null,
  redirectUrl: string,
  state: string,
): OAuthClientProvider & { readonly address: () => string | null } {
  const isRegistered = before?.client?.redirect_uris?.includes(redirectUrl) === true;
  let client: StoredOAuthClientInformation | undefined = isRegistered ? before?.client : undefined;
  let discovery: OAuthDiscoveryState | undefined;
  let verifier = "";
  let address: string | null = null;
  const save = async (tokens: StoredOAuthTokens): Promise<void> => {
    const metadata = discovery?.authorizationServerMetadata;
    const resource = discovery?.resourceMetadata?.resource;
    await file.alone(() =>
      file.write({
        url,
        client: { ...(client ?? { client_id: "" }), redirect_uris: [redirectUrl] },
        tokens: { ...tokens },
        expiresAtMs: expiry(tokens.expires_in, clock),
        ...(discovery === undefined ? {} : { authorizationServer: String(discovery.authorizationServerUrl) }),
        ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
        ...(resource === undefined ? {} : { resource }),
      }),
    );
  };
  return {
    redirectUrl,
    clientMetadata: {
      client_name: "Nomos",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    state: () => state,
    clientInformation: () => client,
    saveClientInformation: (given) => {
      client = given;
    },
    // A login starts anew, also where older tokens still work.
    tokens: () => undefined,
    saveTokens: save,
    redirectToAuthorization: (to) => {
      address = to.href;
    },
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (given) => {
      discovery = given;
    },
    discoveryState: () => discovery,
    invalidateCredentials: () => {
      client = undefined;
    },
    address: () => address,
  };
}
