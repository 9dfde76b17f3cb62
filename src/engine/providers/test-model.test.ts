import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { KEY, modelAt } from "../../../test/engine/model-server/ask.ts";
import { answer, failing, type ModelServer, startModelServer } from "../../../test/engine/model-server/index.ts";
import { createModel } from "./create-model.ts";
import { nearestNames } from "./nearest-names.ts";
import { createScriptModel } from "./script/script-model.ts";
import type { ProviderSettings } from "./settings.ts";
import { testModel } from "./test-model.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ models: ["gpt-5", "gpt-5-mini", "llama-4"] });
});
beforeEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

async function tested(
  settings: ProviderSettings,
  more: Parameters<typeof testModel>[1] = {},
  name = "acme/gpt-5-mimi",
) {
  const result = await testModel(await createModel(name, settings), { settings, ...more });
  expect(result.says).toMatch(/^[^\n]+[.?]$/);
  expect(result.says).not.toContain(KEY);
  return result;
}

const chat = (more: Partial<ProviderSettings> = {}): ProviderSettings => ({
  api: "openai-chat",
  baseUrl: `${server.url}/v1`,
  key: KEY,
  ...more,
});

test("a model that works is told with its times", async () => {
  server.queue(answer("ok"));
  const result = await testModel(await modelAt(server, "anthropic"));
  expect(result).toMatchObject({
    ok: true,
    says: expect.stringMatching(/^test\/claude-sonnet-4-5 answers in \d+ ms\.$/),
  });
  expect(result.firstTokenMs).toBeLessThanOrEqual(result.ms);
  expect(await testModel(createScriptModel())).toMatchObject({ ok: true });
});

test("no key: the variable is named", async () => {
  const settings: ProviderSettings = { api: "anthropic", key: null };
  expect((await tested(settings, { keyFrom: { env: "MY_KEY" } })).says).toBe(
    "No key: the environment variable MY_KEY is not set for the daemon.",
  );
  expect((await tested(settings)).says).toBe(
    'No key: set models.providers.acme.key, such as {"env": "ANTHROPIC_API_KEY"}.',
  );
});

test("a wrong key: where it came from", async () => {
  server.queue(failing(401, { error: { message: `Incorrect API key provided: ${KEY}` } }));
  const { says } = await tested(chat(), { keyFrom: { file: "/run/key" } });
  expect(says).toBe("acme rejects the key (401): Incorrect API key provided: [key]; it comes from the file /run/key.");
});

test("an endpoint that asks for a key where none is configured; settings without which there is no address", async () => {
  server.queue(failing(401, { error: { message: "no key" } }));
  expect((await tested({ api: "openai-chat", baseUrl: `${server.url}/v1` })).says).toBe(
    'acme asks for a key (401), and none is configured: set models.providers.acme.key, such as {"env": "NAME"}.',
  );
  expect((await tested({ api: "copilot" })).says).toContain("run `nomos model login acme`");
  expect((await tested({ api: "bedrock", key: "k" })).says).toBe(
    "Set models.providers.acme.options.region, such as us-east-1.",
  );
  expect((await tested({ api: "vertex", options: { location: "eu" } })).says).toContain("options.project");
  expect((await tested({ api: "azure", key: "k" })).says).toContain("acme.baseUrl");
});

test("a key that no header can carry: said without a request, and without the key", async () => {
  const before = server.requests().length;
  for (const key of ["two words", "one\ntwo", "sk-ключ"])
    expect((await tested(chat({ key }), { keyFrom: { env: "ACME_KEY" } })).says).toBe(
      "The key of acme has a space, a line break or a character beyond ASCII; it comes from the variable ACME_KEY.",
    );
  expect(server.requests().length).toBe(before);
});

test("an unknown model: the nearest names of the endpoint", async () => {
  server.queue(failing(404, { error: { message: "The model does not exist", code: "model_not_found" } }));
  expect((await tested(chat())).says).toBe("acme does not know the model gpt-5-mimi. It has gpt-5-mini, gpt-5.");
});

test("a base URL without its version, and one with a wrong path", async () => {
  const bare = await tested(chat({ baseUrl: server.url }), {}, "acme/gpt-5");
  expect(bare.ok).toBe(true);
  await using strict = await startModelServer({ wires: ["anthropic"] });
  const port = strict.port;
  expect((await tested(chat({ baseUrl: strict.url }))).says).toBe(
    `127.0.0.1:${port} has no such path; the base URL probably needs /v1 at its end: ${strict.url}/v1.`,
  );
  expect((await tested(chat({ baseUrl: `${strict.url}/v1` }))).says).toContain("has no such path; check the base URL");
});

test("an endpoint that is no API", async () => {
  server.queue({ do: "html" });
  expect((await tested(chat())).says).toMatch(/answers with a web page, so it is not the endpoint of an API/);
});

test("an endpoint that is not there, has no address, or speaks no TLS", async () => {
  const held = createServer();
  held.listen(0, "127.0.0.1");
  await once(held, "listening");
  const address = held.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  held.close();
  expect((await tested(chat({ baseUrl: `http://127.0.0.1:${port}/v1` }))).says).toBe(
    `Nothing listens at 127.0.0.1:${port}.`,
  );
  const ollama = await tested({ api: "ollama", baseUrl: `http://127.0.0.1:${port}/v1` });
  expect(ollama.says).toBe(`Nothing listens at 127.0.0.1:${port}; start Ollama with \`ollama serve\`.`);
  const tls = await tested(chat({ baseUrl: `https://127.0.0.1:${server.port}/v1` }));
  expect(tls.says).toContain("does not speak TLS");
  const fetch = () =>
    Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ENOTFOUND" }) }));
  const away = await createModel("acme/x", chat({ baseUrl: "https://nowhere.invalid/v1" }), { fetch });
  expect((await testModel(away, { settings: chat({ baseUrl: "https://nowhere.invalid/v1" }) })).says).toContain(
    "nowhere.invalid:443 has no address",
  );
  const cert = () =>
    Promise.reject(
      new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }) }),
    );
  const self = await createModel("acme/x", chat(), { fetch: cert });
  expect((await testModel(self, { settings: chat() })).says).toContain("TLS certificate");
});

test("other failures are told in the provider's words", async () => {
  server.queue(failing(402, { error: { message: "Insufficient credits" } }));
  expect((await tested(chat())).says).toBe("The account at acme has no credit (402): Insufficient credits.");
});

test("an abort of the caller is thrown", async () => {
  server.queue({ do: "silence" });
  const ending = new AbortController();
  const testing = testModel(await createModel("acme/x", chat()), { settings: chat(), signal: ending.signal });
  ending.abort(new Error("enough"));
  await expect(testing).rejects.toThrow("enough");
});

test("near names are near", () => {
  expect(nearestNames("claude-sonet-4-5", ["gpt-5", "claude-sonnet-4-5", "claude-opus-4-5"])).toEqual([
    "claude-sonnet-4-5",
    "claude-opus-4-5",
  ]);
  expect(nearestNames("zzz", ["gpt-5", "llama"])).toEqual([]);
});
