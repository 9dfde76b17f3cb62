import { z } from "zod";
import { type Model, ModelError, type ModelRequest } from "../model.ts";
import { hostOf } from "./create-model.ts";
import type { KeySource } from "./key.ts";
import { nearestNames } from "./nearest-names.ts";
import { API_FACTS, type ProviderSettings } from "./settings.ts";
import { baseUrlOf } from "./wire/language-model.ts";

export interface ModelTestResult {
  readonly ok: boolean;
  readonly ms: number;
  readonly firstTokenMs: number | null;
  /** One sentence: that it works, or what is wrong with the key or the endpoint. */
  readonly says: string;
}

export interface TestDeps {
  /** As given to `createModel`. Without them a failure is told in the provider's words alone. */
  readonly settings?: ProviderSettings;
  /** Where the key should have come from. */
  readonly keyFrom?: KeySource | null;
  readonly signal?: AbortSignal;
  readonly fetch?: typeof globalThis.fetch;
  readonly nowMs?: () => number;
}

/** An endpoint that accepts the request and says nothing is told of after this. */
export const TEST_MS_MAX = 60_000;
const LIST_MS_MAX = 5000;

/** One small request. Never throws for what the provider does; an abort of the caller is thrown. */
export async function testModel(model: Model, deps: TestDeps = {}): Promise<ModelTestResult> {
  const { nowMs = Date.now } = deps;
  const late = AbortSignal.timeout(TEST_MS_MAX);
  const signal = deps.signal === undefined ? late : AbortSignal.any([deps.signal, late]);
  const startedAt = nowMs();
  let firstTokenMs: number | null = null;
  try {
    for await (const part of model.stream(REQUEST, signal))
      if (part.kind !== "end") firstTokenMs ??= Math.round(nowMs() - startedAt);
    const ms = Math.round(nowMs() - startedAt);
    return { ok: true, ms, firstTokenMs, says: `${model.name} answers in ${ms} ms.` };
  } catch (thrown) {
    deps.signal?.throwIfAborted();
    const error = thrown instanceof ModelError ? thrown : lateOr(thrown, model);
    return { ok: false, ms: Math.round(nowMs() - startedAt), firstTokenMs, says: await explain(error, model, deps) };
  }
}

const REQUEST: ModelRequest = {
  system: "You are being tested. Answer with one word.",
  messages: [{ role: "user", content: [{ kind: "text", text: "Say: ok" }] }],
  tools: [],
  // Models that think first need some room, or the answer is cut before its first word.
  outputTokensMax: 1024,
  thinking: "off",
  schema: null,
  cacheKey: "model-test",
};

function lateOr(thrown: unknown, model: Model): ModelError {
  if (thrown instanceof DOMException && thrown.name === "TimeoutError")
    return new ModelError("timeout", `${model.provider} did not answer within ${TEST_MS_MAX / 1000} s.`);
  throw thrown;
}

async function explain(error: ModelError, model: Model, deps: TestDeps): Promise<string> {
  const { settings, keyFrom } = deps;
  if (settings === undefined) return error.message;
  const host = hostOf(settings) ?? model.provider;
  const hasKey = (settings.key ?? "") !== "";
  switch (error.errorClass) {
    case "auth":
      return hasKey ? wrongKey(error, keyFrom ?? null) : noKey(error, model, settings, keyFrom ?? null);
    case "model_unknown":
      return await unknownModel(error, model, settings, deps);
    case "unreachable":
      return unreachable(error, host, settings);
    case "malformed":
    case "invalid":
      return notAnApi(error, host, settings);
    default:
      return error.message;
  }
}

function noKey(
  { status }: ModelError,
  { provider }: Model,
  { api, headers }: ProviderSettings,
  keyFrom: KeySource | null,
): string {
  if (keyFrom !== null && "env" in keyFrom)
    return `No key: the environment variable ${keyFrom.env} is not set for the daemon.`;
  if (api === "copilot")
    return `Nobody is logged in at GitHub Copilot: set models.providers.${provider}.options.clientId, then run \`nomos model login ${provider}\`.`;
  if (headers !== undefined && status !== null) return `${provider} rejects the configured headers (${status}).`;
  const usual = API_FACTS[api].keyEnv;
  const asks = status === null ? "No key" : `${provider} asks for a key (${status}), and none is configured`;
  return `${asks}: set models.providers.${provider}.key, such as {"env": "${usual ?? "NAME"}"}.`;
}

function wrongKey(error: ModelError, keyFrom: KeySource | null): string {
  if (keyFrom === null) return error.message;
  const place =
    "env" in keyFrom
      ? `the variable ${keyFrom.env}`
      : "file" in keyFrom
        ? `the file ${keyFrom.file}`
        : `the secret ${keyFrom.secret}`;
  return `${error.message.replace(/\.$/, "")}; it comes from ${place}.`;
}

function unreachable(error: ModelError, host: string, { api }: ProviderSettings): string {
  const code = codeIn(error.cause);
  if (code === "EPROTO" || code.startsWith("ERR_SSL_"))
    return `${host} does not speak TLS; should the base URL begin with http://?`;
  if (/CERT|SIGNATURE|TLS/.test(code)) return `The TLS certificate of ${host} is not trusted (${code}).`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `The host of ${host} has no address (${code}); check the base URL.`;
  if (code === "ECONNREFUSED" && api === "ollama")
    return `Nothing listens at ${host}; start Ollama with \`ollama serve\`.`;
  if (code === "ECONNREFUSED") return `Nothing listens at ${host}.`;
  return `${host} cannot be reached${code === "" ? "" : ` (${code})`}.`;
}

function codeIn(cause: unknown): string {
  return typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "";
}

function notAnApi(error: ModelError, host: string, settings: ProviderSettings): string {
  const base = baseUrlOf(settings);
  const isPage = /web page/.test(error.message);
  if (error.status === 404 && base !== null && lacksVersion(base, settings))
    return `${host} has no such path; the base URL probably needs /v1 at its end: ${base}/v1.`;
  if (error.status === 404) return `${host} has no such path; check the base URL ${base}.`;
  return isPage
    ? `${host} answers with a web page, so it is not the endpoint of an API; check the base URL.`
    : error.message;
}

/** Formats whose paths hang below a version. */
function lacksVersion(base: string, { api }: ProviderSettings): boolean {
  return api !== "bedrock" && api !== "vertex" && api !== "copilot" && !/\/v\d/.test(new URL(base).pathname);
}

async function unknownModel(
  error: ModelError,
  model: Model,
  settings: ProviderSettings,
  deps: TestDeps,
): Promise<string> {
  const base = baseUrlOf(settings);
  // Frameworks answer an unknown path and an unknown model alike.
  if (error.status === 404 && base !== null && lacksVersion(base, settings))
    return notAnApi(error, hostOf(settings) ?? "", settings);
  const names = await listModels(settings, deps);
  const wanted = model.name.slice(model.name.indexOf("/") + 1);
  const near = nearestNames(wanted, names);
  const hint = near.length === 0 ? "" : ` It has ${near.join(", ")}.`;
  return `${model.provider} does not know the model ${wanted}.${hint}`;
}

const List = z.object({
  data: z.array(z.looseObject({ id: z.string() })).optional(),
  models: z.array(z.looseObject({ name: z.string() })).optional(),
});

/** Names of the endpoint's models, or none: not every endpoint has a list. */
async function listModels(
  settings: ProviderSettings,
  deps: Pick<TestDeps, "fetch" | "signal"> = {},
): Promise<readonly string[]> {
  const base = baseUrlOf(settings);
  if (base === null) return [];
  const key = settings.key ?? "";
  const headers = new Headers({ ...settings.headers });
  if (settings.api === "anthropic") headers.set("anthropic-version", "2023-06-01");
  if (key !== "")
    headers.set(
      KEY_HEADER[settings.api] ?? "authorization",
      KEY_HEADER[settings.api] === undefined ? `Bearer ${key}` : key,
    );
  const late = AbortSignal.timeout(LIST_MS_MAX);
  const signal = deps.signal === undefined ? late : AbortSignal.any([deps.signal, late]);
  try {
    const response = await (deps.fetch ?? globalThis.fetch)(`${base}/models`, { headers, signal, redirect: "error" });
    const { data = [], models = [] } = List.parse(await response.json());
    return [...data.map(({ id }) => id), ...models.map(({ name }) => name.replace(/^models\//, ""))];
  } catch {
    // The list is a courtesy: without it the sentence says less.
    return [];
  }
}

const KEY_HEADER: Readonly<Partial<Record<ProviderSettings["api"], string>>> = {
  anthropic: "x-api-key",
  google: "x-goog-api-key",
  azure: "api-key",
};
