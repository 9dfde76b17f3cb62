import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { json } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { ask, modelAt } from "../../../../test/engine/model-server/ask.ts";
import { answer, startModelServer } from "../../../../test/engine/model-server/index.ts";
import { type CopilotLogin, createCopilot } from "./copilot.ts";
import type { DeviceCode } from "./device-login.ts";

interface GitHub {
  readonly url: string;
  readonly asked: string[];
  /** Answers of the token endpoint, one for each poll. */
  readonly polls: object[];
  exchanges: number;
  exchange: { status: number; body: object };
}

let server: Server | null = null;
afterEach(() => server?.close());
const never = new AbortController().signal;

async function startGitHub(expiresAtMs: () => number): Promise<GitHub> {
  const state: Omit<GitHub, "url"> = { asked: [], polls: [], exchanges: 0, exchange: { status: 200, body: {} } };
  server = createServer(async (request, response) => {
    state.asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`.trim());
    const send = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url === "/login/device/code") {
      const body = await json(request);
      expect(body).toMatchObject({ client_id: "my-app" });
      return send(200, {
        device_code: "dev-1",
        user_code: "AB-12",
        verification_uri: "https://example.test/device",
        expires_in: 900,
        interval: 0.005,
      });
    }
    if (request.url === "/login/oauth/access_token")
      return send(200, state.polls.shift() ?? { error: "authorization_pending" });
    state.exchanges += 1;
    const { status, body } = state.exchange;
    return send(status, {
      token: `tid=${state.exchanges}`,
      expires_at: expiresAtMs() / 1000,
      endpoints: { api: "https://api.business.example" },
      ...body,
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return Object.assign(state, { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` });
}

function storeOf(login: CopilotLogin | null) {
  const kept = { login };
  return {
    kept,
    store: {
      load: async () => kept.login,
      save: async (next: CopilotLogin | null) => {
        kept.login = next;
      },
    },
  };
}

test("a login waits, slows down when told, and keeps the token", async () => {
  const clock = { ms: 1_000_000 };
  const github = await startGitHub(() => clock.ms + 1_800_000);
  github.polls.push(
    { error: "authorization_pending" },
    { error: "slow_down", interval: 0.02 },
    { access_token: "gho_secret" },
  );
  const { kept, store } = storeOf(null);
  const copilot = createCopilot({
    clientId: "my-app",
    store,
    loginUrl: github.url,
    apiUrl: github.url,
    nowMs: () => clock.ms,
  });
  const codes: DeviceCode[] = [];
  await copilot.login((code) => codes.push(code), never);
  expect(codes).toEqual([{ userCode: "AB-12", page: "https://example.test/device", expiresInS: 900 }]);
  expect(kept.login).toEqual({ oauthToken: "gho_secret", token: null });
  expect(await copilot.token(never)).toBe("tid=1");
  expect(github.asked.at(-1)).toBe("GET /copilot_internal/v2/token token gho_secret");
  expect(await copilot.baseUrl()).toBe("https://api.business.example");
});

test.each([
  [{ error: "expired_token" }, "expired"],
  [{ error: "access_denied" }, "denied"],
  [{ error: "incorrect_client_credentials" }, "refused"],
])("a login that ends with %j says so", async (poll, reason) => {
  const github = await startGitHub(() => 0);
  github.polls.push(poll);
  const copilot = createCopilot({ clientId: "my-app", store: storeOf(null).store, loginUrl: github.url });
  await expect(copilot.login(() => undefined, never)).rejects.toMatchObject({ reason });
});

test("a login that nobody finishes expires, and one can be aborted", async () => {
  const clock = { ms: 0 };
  const github = await startGitHub(() => 0);
  const copilot = createCopilot({
    clientId: "my-app",
    store: storeOf(null).store,
    loginUrl: github.url,
    nowMs: () => (clock.ms += 400_000),
  });
  await expect(copilot.login(() => undefined, never)).rejects.toMatchObject({ reason: "expired" });
  const ending = new AbortController();
  const slow = createCopilot({ clientId: "my-app", store: storeOf(null).store, loginUrl: github.url });
  const login = slow.login(() => ending.abort(new Error("changed my mind")), ending.signal);
  await expect(login).rejects.toThrow("changed my mind");
});

test("a token is refreshed before its end, and by one request for all who wait", async () => {
  const clock = { ms: 1_000_000 };
  const github = await startGitHub(() => clock.ms + 1_800_000);
  const { store } = storeOf({ oauthToken: "gho_x", token: null });
  const copilot = createCopilot({ clientId: "my-app", store, apiUrl: github.url, nowMs: () => clock.ms });
  expect(await Promise.all(Array.from({ length: 20 }, () => copilot.token(never)))).toEqual(Array(20).fill("tid=1"));
  clock.ms += 1_400_000;
  expect(await copilot.token(never)).toBe("tid=1");
  clock.ms += 150_000;
  expect(await copilot.token(never)).toBe("tid=2");
  expect(github.exchanges).toBe(2);
});

test("two processes that refresh at once exchange once", async () => {
  const github = await startGitHub(() => Date.now() + 1_800_000);
  const { store } = storeOf({ oauthToken: "gho_x", token: null });
  let turn: Promise<unknown> = Promise.resolve();
  const alone = <T>(run: () => Promise<T>): Promise<T> => {
    const mine = turn.then(run);
    turn = mine.catch(() => undefined);
    return mine;
  };
  const processes = [1, 2].map(() =>
    createCopilot({ clientId: "my-app", store: { ...store, alone }, apiUrl: github.url }),
  );
  expect(await Promise.all(processes.map((one) => one.token(never)))).toEqual(["tid=1", "tid=1"]);
  expect(github.exchanges).toBe(1);
});

test("an abort of one who waits does not fail the others", async () => {
  const github = await startGitHub(() => Date.now() + 1_800_000);
  const copilot = createCopilot({
    clientId: "my-app",
    store: storeOf({ oauthToken: "gho_x", token: null }).store,
    apiUrl: github.url,
  });
  const ending = new AbortController();
  const first = copilot.token(ending.signal);
  const second = copilot.token(never);
  ending.abort(new Error("gone"));
  await expect(first).rejects.toThrow("gone");
  expect(await second).toBe("tid=1");
});

test("no login, an ended login and a broken answer are errors without the token in them", async () => {
  const github = await startGitHub(() => 0);
  const nobody = createCopilot({ clientId: "my-app", store: storeOf(null).store, apiUrl: github.url });
  await expect(nobody.token(never)).rejects.toMatchObject({ errorClass: "auth" });
  const copilot = createCopilot({
    clientId: "my-app",
    store: storeOf({ oauthToken: "gho_secret", token: null }).store,
    apiUrl: github.url,
  });
  for (const [status, errorClass] of [
    [401, "auth"],
    [500, "overloaded"],
    [200, "malformed"],
  ] as const) {
    github.exchange = { status, body: status === 200 ? { token: 5 } : {} };
    const error: unknown = await copilot.token(never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ errorClass });
    expect(String(error)).not.toContain("gho_secret");
  }
});

test("a model asks for the token before each request", async () => {
  await using models = await startModelServer();
  models.queue(answer("ok"));
  const model = await modelAt(models, "copilot", { key: null }, { token: async () => "tid=fresh" });
  await ask(model);
  expect(models.requests().at(-1)?.headers["authorization"]).toBe("Bearer tid=fresh");
});
