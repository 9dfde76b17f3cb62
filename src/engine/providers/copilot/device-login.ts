import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** What a person has to do: open the page and type the code. */
export interface DeviceCode {
  readonly userCode: string;
  readonly page: string;
  readonly expiresInS: number;
}

export interface DeviceLogin {
  /** The id of the user's own OAuth app. */
  readonly clientId: string;
  readonly scope: string;
  /** `https://github.com`, or a server of one's own. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly nowMs: () => number;
}

/** A login that did not happen. The message is for the person who tried. */
export class LoginError extends Error {
  readonly reason: "expired" | "denied" | "unreachable" | "refused";
  constructor(reason: LoginError["reason"], message: string) {
    super(message);
    this.name = "LoginError";
    this.reason = reason;
  }
}

const Code = z.object({
  device_code: z.string().min(1),
  user_code: z.string().min(1),
  verification_uri: z.string().min(1),
  expires_in: z.number().positive().default(900),
  interval: z.number().positive().default(5),
});
const Answer = z.looseObject({
  access_token: z.string().min(1).optional(),
  error: z.string().optional(),
  interval: z.number().positive().optional(),
});

const INTERVAL_S_MAX = 120;
const REQUEST_MS_MAX = 30_000;

/** OAuth's device flow (RFC 8628): `tell` gets the code, then the endpoint is asked until the person has agreed. */
export async function loginByDevice(
  login: DeviceLogin,
  tell: (code: DeviceCode) => void,
  signal: AbortSignal,
): Promise<string> {
  const asked = { client_id: login.clientId, scope: login.scope };
  const code = Code.safeParse(await post(login, "/login/device/code", asked, signal));
  if (!code.success) throw new LoginError("refused", "The login server gives no device code; check the client id.");
  const { device_code, user_code, verification_uri, expires_in, interval } = code.data;
  tell({ userCode: user_code, page: verification_uri, expiresInS: expires_in });
  const endAtMs = login.nowMs() + expires_in * 1000;
  let intervalS = interval;
  while (login.nowMs() < endAtMs) {
    await pause(Math.min(intervalS, INTERVAL_S_MAX) * 1000, signal);
    const body = { client_id: login.clientId, device_code, grant_type: "urn:ietf:params:oauth:grant-type:device_code" };
    const answer = Answer.safeParse(await post(login, "/login/oauth/access_token", body, signal)).data ?? {};
    if (answer.access_token !== undefined) return answer.access_token;
    if (answer.error === "slow_down") intervalS = answer.interval ?? intervalS + 5;
    else if (answer.error !== "authorization_pending") throw refusal(answer.error);
  }
  throw refusal("expired_token");
}

function refusal(error: string | undefined): LoginError {
  if (error === "expired_token") return new LoginError("expired", "The code has expired; start the login again.");
  if (error === "access_denied") return new LoginError("denied", "The login was refused on the page.");
  return new LoginError("refused", `The login server refuses: ${(error ?? "no reason given").slice(0, 100)}.`);
}

async function post(
  login: DeviceLogin,
  path: string,
  body: Record<string, string>,
  signal: AbortSignal,
): Promise<unknown> {
  const url = `${login.baseUrl.replace(/\/+$/, "")}${path}`;
  try {
    const response = await login.fetch(url, {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS_MAX)]),
    });
    return await response.json();
  } catch {
    signal.throwIfAborted();
    throw new LoginError("unreachable", `The login server ${new URL(url).host} cannot be reached or gives no JSON.`);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    // Only an abort ends a sleep early; its own reason is thrown instead of the timer's.
    signal.throwIfAborted();
  }
}
