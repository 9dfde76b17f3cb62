import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type Model, ModelError, type ModelPart, type ModelRequest } from "../model.ts";
import { readAnswer } from "./answer.ts";
import { callOptions } from "./call-options.ts";
import { builtInCatalogue, type Catalogue, lookUpModel, UNKNOWN_MODEL } from "./catalogue.ts";
import { modelError, type Subject, toModelError } from "./errors/to-model-error.ts";
import { createScriptModel } from "./script/script-model.ts";
import { API_FACTS, type ProviderSettings, priceOf, textOption } from "./settings.ts";
import { GUARD_LIMITS, type GuardLimits } from "./wire/guard-limits.ts";
import { createGuardedFetch } from "./wire/guarded-fetch.ts";
import { baseUrlOf, openLanguageModel } from "./wire/language-model.ts";

export interface ModelDeps {
  /** Replaces the built-in catalogue after `nomos model update`. */
  readonly catalogue?: Catalogue;
  /** A key that changes, asked for before each request: the token of a login. */
  readonly token?: (signal: AbortSignal) => Promise<string>;
  readonly limits?: Partial<GuardLimits>;
  readonly nowMs?: () => number;
  readonly fetch?: typeof globalThis.fetch;
}

/** A model of the configuration. `name` is NAME/MODEL. Asks nobody: a wrong key shows with the first request. */
export async function createModel(name: string, settings: ProviderSettings, deps: ModelDeps = {}): Promise<Model> {
  const slash = name.indexOf("/");
  const provider = slash === -1 ? name : name.slice(0, slash);
  const modelId = slash === -1 ? name : name.slice(slash + 1);
  if (settings.api === "demo") return { ...createScriptModel(), name, provider };
  const known = lookUpModel(deps.catalogue ?? (await builtInCatalogue()), name);
  const own = settings.models?.[modelId] ?? {};
  const windowTokens = own.window ?? known?.window ?? UNKNOWN_MODEL.window;
  const outputTokensMax = Math.min(windowTokens, own.output ?? known?.output ?? UNKNOWN_MODEL.output);
  const model: Omit<Model, "stream"> = {
    name,
    provider,
    windowTokens,
    outputTokensMax,
    // An unknown model may see: a provider's refusal is clearer than an image that silently became a text.
    takesImages: own.images ?? known?.images ?? true,
    price: own.price === undefined ? (known?.price ?? null) : priceOf(own.price),
  };
  const isLimitKnown = own.output !== undefined || known !== null;
  const wires = createWires(settings, modelId);
  return {
    ...model,
    stream: (request, signal) => ask({ model, modelId, settings, deps, isLimitKnown, wires }, request, signal),
  };
}

/** Loads the package that a first request would wait for. Asks nobody. */
export async function warmUp({
  name,
  settings,
}: {
  readonly name: string;
  readonly settings: ProviderSettings;
}): Promise<void> {
  if (settings.api === "demo") return;
  await openLanguageModel({ settings, modelId: name, key: "", fetch: globalThis.fetch });
}

interface Asking {
  readonly model: Omit<Model, "stream">;
  readonly modelId: string;
  readonly settings: ProviderSettings;
  readonly deps: ModelDeps;
  readonly isLimitKnown: boolean;
  readonly wires: Wires;
}

async function* ask(asking: Asking, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
  const { model, modelId, settings, deps } = asking;
  signal.throwIfAborted();
  const connection = new AbortController();
  const cut = AbortSignal.any([signal, connection.signal]);
  let subject = subjectOf(asking, "");
  let hasAnswer = (): boolean => false;
  let isRead = false;
  try {
    const key = await keyOf(asking, subject, cut);
    subject = subjectOf(asking, key);
    const guarded = createGuardedFetch(
      subject,
      { ...limitsOf(settings), ...deps.limits },
      {
        fetch: deps.fetch ?? globalThis.fetch,
        headers: (headers) => authorize(headers, settings, key),
        url: (url) => withVersion(url, settings),
      },
    );
    hasAnswer = guarded.hasAnswer;
    const wire = await asking.wires.open(key, cut, guarded.fetch);
    const outputTokensMax = needsLimit(asking) ? model.outputTokensMax : null;
    const options = callOptions(request, { settings, modelId, takesImages: model.takesImages, outputTokensMax }, cut);
    const { stream } = await wire.doStream(options);
    yield* readAnswer(stream, { ...subject, api: settings.api, modelId });
    isRead = true;
  } catch (thrown) {
    signal.throwIfAborted();
    throw toModelError(subject, thrown, hasAnswer());
  } finally {
    // Also when the reader stops early: nobody pays for an answer that nobody reads.
    if (!isRead) connection.abort();
  }
}

interface Wires {
  readonly open: (key: string, signal: AbortSignal, fetch: typeof globalThis.fetch) => Promise<LanguageModelV4>;
}

/**
 * A package's object is made once for each key: the packages build their schemas in it, which takes longer than the rest
 * of a request. Its `fetch` finds the one of the request by the request's signal.
 */
function createWires(settings: ProviderSettings, modelId: string): Wires {
  const requests = new WeakMap<AbortSignal, typeof globalThis.fetch>();
  const fetchBySignal: typeof globalThis.fetch = (input, init) => {
    const own = init?.signal == null ? undefined : requests.get(init.signal);
    if (own === undefined) throw new Error("a request without its signal");
    return own(input, init);
  };
  let wire: { readonly key: string; readonly model: Promise<LanguageModelV4> } | null = null;
  return {
    open: (key, signal, fetch) => {
      requests.set(signal, fetch);
      if (wire?.key !== key) wire = { key, model: openLanguageModel({ settings, modelId, key, fetch: fetchBySignal }) };
      return wire.model;
    },
  };
}

function subjectOf({ model, modelId, settings, deps }: Asking, key: string): Subject {
  const { options } = settings;
  const signing = [options?.["secretAccessKey"], options?.["sessionToken"]].filter((one) => typeof one === "string");
  return {
    provider: model.provider,
    model: modelId,
    host: hostOf(settings),
    secrets: [key, settings.key ?? "", ...signing, ...Object.values(settings.headers ?? {})],
    nowMs: deps.nowMs ?? Date.now,
  };
}

export function hostOf(settings: ProviderSettings): string | null {
  const url = baseUrlOf(settings);
  if (url === null || !URL.canParse(url)) return null;
  const { host, port, protocol } = new URL(url);
  return port === "" ? `${host}:${protocol === "http:" ? 80 : 443}` : host;
}

async function keyOf({ settings, deps }: Asking, subject: Subject, signal: AbortSignal): Promise<string> {
  const { api } = settings;
  const key = deps.token === undefined ? (settings.key ?? "") : await deps.token(signal);
  const missing = missingSetting(settings, key);
  if (missing !== null) throw new ModelError("invalid", `Set models.providers.${subject.provider}.${missing}.`);
  if (!key.startsWith("{") && !/^[\x21-\x7e]*$/.test(key))
    throw new ModelError(
      "auth",
      `The key of ${subject.provider} has a space, a line break or a character beyond ASCII.`,
    );
  const hasOwn = Object.keys(settings.headers ?? {}).some((name) => AUTH_HEADERS.has(name.toLowerCase()));
  if (key === "" && API_FACTS[api].needsKey && !hasOwn) throw modelError(subject, "auth", "no key is configured");
  return key;
}

/** What the endpoint's address follows from, where it has none of its own. */
function missingSetting(settings: ProviderSettings, key: string): string | null {
  const { api, baseUrl } = settings;
  if (baseUrl !== undefined) return URL.canParse(baseUrl) ? null : "baseUrl to a URL";
  if (api === "openai-chat" || api === "azure") return `baseUrl: ${api} has no address of its own`;
  if (api === "bedrock" && textOption(settings, "region") === undefined) return "options.region, such as us-east-1";
  // With a key of the express mode there is one address for all.
  if (api !== "vertex" || (key !== "" && !key.startsWith("{"))) return null;
  const name = (["project", "location"] as const).find((one) => textOption(settings, one) === undefined);
  return name === undefined ? null : `options.${name}, as your project at Google has it`;
}

const AUTH_HEADERS: ReadonlySet<string> = new Set(["authorization", "x-api-key", "x-goog-api-key", "api-key"]);

/** The packages send an empty key as a header of its own, and Azure wants another one. */
function authorize(headers: Headers, settings: ProviderSettings, key: string): void {
  for (const name of ["authorization", "x-api-key", "x-goog-api-key"])
    if (/^(?:Bearer)?\s*$/i.test(headers.get(name) ?? "-")) headers.delete(name);
  if (settings.api === "azure" && key !== "") {
    headers.delete("authorization");
    headers.set("api-key", key);
  }
}

function withVersion(url: string, settings: ProviderSettings): string {
  const version = settings.api === "azure" ? textOption(settings, "apiVersion") : undefined;
  if (version === undefined) return url;
  const versioned = new URL(url);
  versioned.searchParams.set("api-version", version);
  return versioned.href;
}

function limitsOf({ stallMs }: ProviderSettings): GuardLimits {
  return stallMs === undefined ? GUARD_LIMITS : { ...GUARD_LIMITS, stallMs };
}

/** Anthropic's format has no default limit, and Bedrock's is small. The others know their models best. */
function needsLimit({ settings: { api }, isLimitKnown }: Asking): boolean {
  return api === "anthropic" || (api === "bedrock" && isLimitKnown);
}
