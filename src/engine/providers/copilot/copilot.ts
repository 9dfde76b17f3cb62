import { z } from "zod";
import { ModelError } from "../../model.ts";
import { type DeviceCode, loginByDevice } from "./device-login.ts";

/** What is stored after a login. Both are secrets: whoever keeps them keeps them closed. */
export interface CopilotLogin {
  readonly oauthToken: string;
  /** Null until the first exchange. */
  readonly token: { readonly value: string; readonly expiresAtMs: number; readonly apiUrl: string | null } | null;
}

export interface CopilotStore {
  readonly load: () => Promise<CopilotLogin | null>;
  readonly save: (login: CopilotLogin | null) => Promise<void>;
  /** Runs alone among all processes that share the store. Left out: there is one process. */
  readonly alone?: <T>(run: () => Promise<T>) => Promise<T>;
}

export interface CopilotDeps {
  readonly clientId: string;
  readonly store: CopilotStore;
  /** Where people log in; `https://github.com`. */
  readonly loginUrl?: string;
  /** Where the token is exchanged; `https://api.github.com`. */
  readonly apiUrl?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly nowMs?: () => number;
}

export interface Copilot {
  readonly login: (tell: (code: DeviceCode) => void, signal: AbortSignal) => Promise<void>;
  readonly logout: () => Promise<void>;
  readonly isLoggedIn: () => Promise<boolean>;
  /** A token that is valid for some minutes more. For `ModelDeps.token`. */
  readonly token: (signal: AbortSignal) => Promise<string>;
  /** Where the account's models are served, known after the first token; null: the default. */
  readonly baseUrl: () => Promise<string | null>;
}

/** A token is exchanged this long before its end, so that none ends in the middle of a request. */
const REFRESH_BEFORE_MS = 5 * 60_000;
const REQUEST_MS_MAX = 30_000;

/** A login at GitHub Copilot. No request of it is ever logged: all of them carry secrets. */
export function createCopilot(deps: CopilotDeps): Copilot {
  const { store, clientId, fetch = globalThis.fetch, nowMs = Date.now } = deps;
  const { loginUrl = "https://github.com", apiUrl = "https://api.github.com" } = deps;
  const alone = store.alone ?? ((run) => run());
  let refreshing: Promise<string> | null = null;

  const isFresh = (token: CopilotLogin["token"]): token is NonNullable<CopilotLogin["token"]> =>
    token !== null && token.expiresAtMs - REFRESH_BEFORE_MS > nowMs();
  const refresh = (): Promise<string> =>
    alone(async () => {
      // Another process may have refreshed while this one waited for its turn.
      const login = await store.load();
      if (login === null) throw new ModelError("auth", "Nobody is logged in at GitHub Copilot.");
      if (isFresh(login.token)) return login.token.value;
      const token = await exchange(login.oauthToken, apiUrl, fetch);
      await store.save({ ...login, token });
      return token.value;
    });

  return {
    login: async (tell, signal) => {
      const login = { clientId, scope: "read:user", baseUrl: loginUrl, fetch, nowMs };
      const oauthToken = await loginByDevice(login, tell, signal);
      await alone(() => store.save({ oauthToken, token: null }));
    },
    logout: () => alone(() => store.save(null)),
    isLoggedIn: async () => (await store.load()) !== null,
    token: async (signal) => {
      const login = await store.load();
      if (login !== null && isFresh(login.token)) return login.token.value;
      // One exchange for all that wait. It belongs to none of them, so that no abort of one fails the others.
      refreshing ??= refresh().finally(() => {
        refreshing = null;
      });
      return await unlessAborted(refreshing, signal);
    },
    baseUrl: async () => (await store.load())?.token?.apiUrl ?? null,
  };
}

const Token = z.object({
  token: z.string().min(1),
  /** Seconds since 1970. */
  expires_at: z.number(),
  endpoints: z.looseObject({ api: z.url().optional() }).optional(),
});

async function exchange(
  oauthToken: string,
  apiUrl: string,
  fetch: typeof globalThis.fetch,
): Promise<NonNullable<CopilotLogin["token"]>> {
  const response = await answerOf(`${apiUrl.replace(/\/+$/, "")}/copilot_internal/v2/token`, oauthToken, fetch);
  const body: unknown = await response.json().catch(() => null);
  if (response.status === 401 || response.status === 403 || response.status === 404)
    throw new ModelError("auth", "GitHub refuses a Copilot token: the login has ended or the account has no Copilot.", {
      status: response.status,
    });
  if (!response.ok)
    throw new ModelError("overloaded", "GitHub gives no Copilot token at the moment.", { status: response.status });
  const token = Token.safeParse(body);
  if (!token.success)
    throw new ModelError("malformed", "GitHub's answer to the request for a Copilot token cannot be read.");
  const { token: value, expires_at, endpoints } = token.data;
  return { value, expiresAtMs: expires_at * 1000, apiUrl: endpoints?.api ?? null };
}

async function answerOf(url: string, oauthToken: string, fetch: typeof globalThis.fetch): Promise<Response> {
  try {
    return await fetch(url, {
      headers: { accept: "application/json", authorization: `token ${oauthToken}` },
      redirect: "error",
      signal: AbortSignal.timeout(REQUEST_MS_MAX),
    });
  } catch {
    throw new ModelError("unreachable", `${new URL(url).host} cannot be reached for a Copilot token.`);
  }
}

async function unlessAborted<T>(waited: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([waited, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
