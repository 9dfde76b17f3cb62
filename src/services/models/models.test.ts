import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NomosError } from "../../contract/index.ts";
import { openSettings, type Settings } from "../config/settings.ts";
import { openCatalogueFile } from "./catalogue-file.ts";
import { createModels, keyFile, type ModelService } from "./models.ts";

const PRICE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
const CATALOGUE = {
  version: "2026-11-18",
  models: { "acme/large": { window: 1000, output: 100, images: false, price: PRICE } },
};

let home = "";
let config: Settings;
let models: ModelService;
let updates: (string | null)[] = [];
const servers: Server[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "models-"));
  config = await openSettings(home);
  updates = [];
  models = createModels({
    ...{ home, config, engine: fakeEngine() },
    file: openCatalogueFile(home, () => undefined),
    logins: { begin: () => Promise.reject(new Error("no login")) },
    onCatalogue: async (catalogue) => void updates.push(catalogue?.version ?? null),
  });
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(home, { recursive: true });
});

function fakeEngine() {
  const facts = { api: "demo", window: 1, output: 1, price: null, key: null, isDefault: false };
  return {
    models: async () => [{ ...facts, name: "demo/script" }],
    testModel: async (model: string) => {
      if (model === "acme/locked") throw new NomosError("model_auth", {}, { message: "The key file is missing." });
      return { ok: true, model, ms: 5, firstTokenMs: 2, says: `${model} answers.` };
    },
  };
}

const stored = async (): Promise<unknown> => JSON.parse(await readFile(join(home, "config.json"), "utf8"));
const refusal = (code: string, details: object = {}) =>
  expect.objectContaining({ code, details: expect.objectContaining(details) });

test("the first model becomes the default, the second one only if asked to", async () => {
  await models.add({ name: "anthropic", model: "claude-x" });
  await models.add({ name: "acme", api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", model: "a", window: 8000 });
  expect(await stored()).toEqual({
    models: {
      default: "anthropic/claude-x",
      providers: {
        anthropic: { api: "anthropic", key: { env: "ANTHROPIC_API_KEY" }, models: { "claude-x": {} } },
        acme: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", models: { a: { window: 8000 } } },
      },
    },
  });
  await models.add({ name: "mine", api: "openai-responses", model: "gpt", key: "env:MY_KEY", default: true });
  expect(models.defaultModel()).toBe("mine/gpt");
  expect(models.apiOf("mine")).toBe("openai-responses");
});

test("the configuration in force is what the file says, with nothing undefined in it", async () => {
  await models.add({ name: "acme", api: "ollama", model: "m" });
  expect(config.show()).toStrictEqual(await stored());
});

test("a provider that exists is only replaced on request", async () => {
  await models.add({ name: "anthropic", model: "one" });
  for (const more of [{}, { model: "one" }, { model: "two", key: "env:OTHER" }])
    await expect(models.add({ name: "anthropic", ...more })).rejects.toThrow(refusal("model_exists"));
  await models.add({ name: "anthropic", key: "file:/keys/a", replace: true });
  expect(config.show().models?.providers?.["anthropic"]).toEqual({ api: "anthropic", key: { file: "/keys/a" } });
});

test("a provider that exists gets one more model, and keeps all that it has", async () => {
  await models.add({ name: "acme", api: "ollama", model: "one", window: 1000 });
  const acme = { ...config.show().models?.providers?.["acme"], api: "ollama" as const, options: { think: true } };
  await config.change({ models: { ...config.show().models, providers: { acme } } });
  await models.add({ name: "acme", model: "two", price: { input: 1, output: 2 } });
  expect(config.show().models).toEqual({
    default: "acme/one",
    providers: {
      acme: { ...acme, models: { one: { window: 1000 }, two: { price: { input: 1, output: 2 } } } },
    },
  });
});

test("providers that are added at once are all there afterwards", async () => {
  await Promise.all(["a", "b", "c"].map((name) => models.add({ name, api: "ollama", model: "m" })));
  expect(Object.keys(config.show().models?.providers ?? {})).toEqual(["a", "b", "c"]);
});

test.each([
  [{ name: "acme" }, "model_invalid", "api"],
  [{ name: "demo", api: "ollama" }, "model_invalid", "name"],
  [{ name: "acme", api: "azure" }, "model_invalid", "baseUrl"],
  [{ name: "acme", api: "openai-chat" }, "model_invalid", "baseUrl"],
  [{ name: "acme", api: "ollama", window: 5 }, "model_invalid", "window"],
  [{ name: "acme", api: "ollama", default: true }, "model_invalid", "model"],
  [{ name: "acme", api: "ollama", key: "file:relative" }, "model_invalid", "key"],
  [{ name: "acme", api: "ollama", key: "env:NO NAME" }, "model_invalid", "key.env"],
  [{ name: "acme", api: "ollama", key: "my very own key" }, "key_in_argument", "key"],
  [{ name: "acme", api: "ollama", key: "env:abcdefghijklmnop0123456789abcdef" }, "key_in_argument", "key"],
  [{ name: "acme", api: "ollama", model: "sk-0123456789abcdefghij" }, "key_in_argument", "model"],
  [{ name: "acme", api: "ollama", baseUrl: "http://u:p@h/v1" }, "key_in_argument", "baseUrl"],
] as const)("%j is refused with %s, and nothing is written", async (given, code, field) => {
  await expect(models.add(given)).rejects.toThrow(refusal(code, { field }));
  await expect(stored()).rejects.toThrow("ENOENT");
});

test("a removed provider takes its key, its default and its fallbacks along", async () => {
  const path = keyFile(home, "acme");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "key");
  await models.add({ name: "acme", api: "ollama", model: "m", key: `file:${path}` });
  await models.add({ name: "other", api: "ollama", key: `file:${join(home, "mine")}` });
  await writeFile(join(home, "mine"), "a key that we did not write");
  await config.change({ models: { ...config.show().models, fallbacks: ["acme/x", "other/y"] } });
  await models.remove("acme");
  await models.remove("other");
  expect(config.show().models).toEqual({ fallbacks: [], providers: {} });
  await expect(stat(path)).rejects.toThrow("ENOENT");
  expect(await readFile(join(home, "mine"), "utf8")).not.toBe("");
  await expect(models.remove("acme")).rejects.toThrow(refusal("model_not_found"));
});

test("the default has to be a model of a configured provider, or one that the engine lists", async () => {
  await models.add({ name: "acme", api: "ollama" });
  await models.setDefault("acme/anything:7b");
  await models.setDefault("demo/script");
  await expect(models.setDefault("nobody/large")).rejects.toThrow(refusal("model_not_found"));
  expect(models.defaultModel()).toBe("demo/script");
});

test("a test asks the default model; a key that cannot be read is what it found", async () => {
  await expect(models.test()).rejects.toThrow(refusal("no_model"));
  await models.add({ name: "acme", api: "ollama", model: "locked" });
  expect(await models.test()).toMatchObject({ ok: false, model: "acme/locked", says: "The key file is missing." });
  expect(await models.test("demo/script")).toMatchObject({ ok: true });
});

test("a catalogue replaces the built-in one until it is reset", async () => {
  const file = join(home, "new.json");
  await writeFile(file, JSON.stringify(CATALOGUE));
  await models.update({ file });
  expect(await models.catalogue()).toEqual(CATALOGUE);
  await writeFile(file, JSON.stringify({ ...CATALOGUE, version: "yesterday" }));
  await expect(models.update({ file })).rejects.toThrow(refusal("catalogue_invalid", { file }));
  await expect(models.update({ file: join(home, "none") })).rejects.toThrow(refusal("catalogue_invalid"));
  await expect(models.update({ file: home })).rejects.toThrow(refusal("catalogue_invalid"));
  expect(await models.catalogue()).toEqual(CATALOGUE);
  await models.update({ reset: true });
  expect(await models.catalogue()).toBeNull();
  expect(updates).toEqual(["2026-11-18", null]);
});

test("a damaged models.json is not used, and does not stop anything", async () => {
  await writeFile(join(home, "models.json"), "{");
  expect(await models.catalogue()).toBeNull();
});

async function served(answer: (path: string) => { readonly status: number; readonly body: string | Buffer }) {
  const server = createServer((request, response) => {
    const { status, body } = answer(request.url ?? "");
    response.writeHead(status, status === 302 ? { location: "/good" } : {}).end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a catalogue is fetched from loopback or by https; what else a server does is refused", async () => {
  const url = await served((path) => {
    if (path === "/good") return { status: 200, body: JSON.stringify(CATALOGUE) };
    if (path === "/large") return { status: 200, body: Buffer.alloc(5 * 1024 * 1024, " ") };
    return { status: path === "/moved" ? 302 : 404, body: "" };
  });
  await models.update({ url: `${url}/good` });
  expect(await models.catalogue()).toEqual(CATALOGUE);
  for (const path of ["/large", "/moved", "/gone"])
    await expect(models.update({ url: `${url}${path}?token=t` })).rejects.toThrow(
      refusal("catalogue_invalid", { host: new URL(url).host }),
    );
  for (const wrong of ["http://example.org/x", "file:///etc/passwd", "http://127.0.0.1.example.org/"])
    await expect(models.update({ url: wrong })).rejects.toThrow(refusal("catalogue_invalid"));
  expect(await models.catalogue()).toEqual(CATALOGUE);
});
