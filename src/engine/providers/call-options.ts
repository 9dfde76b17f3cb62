import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { z } from "zod";
import type { ModelRequest, Thinking } from "../model.ts";
import { cacheMark } from "./cache-marks.ts";
import { promptOf } from "./prompt.ts";
import { type ApiName, OWN_OPTIONS, type ProviderSettings } from "./settings.ts";
import { COMPATIBLE } from "./wire/language-model.ts";

export interface CallSubject {
  readonly settings: ProviderSettings;
  readonly modelId: string;
  readonly takesImages: boolean;
  /** Sent when the request names no limit; null where the endpoint has a good default. */
  readonly outputTokensMax: number | null;
}

/** Our request in the words of the provider packages. */
export function callOptions(
  request: ModelRequest,
  subject: CallSubject,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const { settings, modelId } = subject;
  const reasoning = reasoningOf(settings.api, modelId, request.thinking);
  const maxOutputTokens = request.outputTokensMax ?? subject.outputTokensMax;
  return {
    prompt: promptOf(request, subject),
    abortSignal,
    providerOptions: providerOptions(request, settings),
    ...(request.tools.length === 0 ? {} : { tools: toolsOf(request, settings, modelId) }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(request.schema === null
      ? {}
      : { responseFormat: { type: "json", name: "answer", schema: Schema.parse(request.schema) } }),
  };
}

/** A JSON schema is an object; what it says is checked by the provider. */
const Schema = z.record(z.string(), z.unknown());

type Tools = NonNullable<LanguageModelV4CallOptions["tools"]>;

function toolsOf({ tools }: ModelRequest, { api }: ProviderSettings, modelId: string): Tools {
  return tools.map(({ name, description, input }, at) => {
    const mark = at === tools.length - 1 ? cacheMark(api, modelId) : undefined;
    return {
      type: "function",
      name,
      description,
      inputSchema: Schema.parse(input),
      // OpenAI's responses are strict unless told otherwise, and reject optional fields then.
      ...(api === "openai-responses" || api === "azure" ? { strict: false } : {}),
      ...(mark === undefined ? {} : { providerOptions: mark }),
    };
  });
}

/** "off" is left out where an endpoint could not know the word, and where it is the default. */
function reasoningOf(api: ApiName, modelId: string, thinking: Thinking): LanguageModelV4CallOptions["reasoning"] {
  if (thinking !== "off") return thinking;
  switch (api) {
    case "anthropic":
    case "openai":
    case "openai-responses":
    case "mistral":
      return "none";
    case "google":
    case "vertex":
      // Older models have no thinking to switch off, and reject the field.
      return /gemini-(?:2\.5|[3-9])/.test(modelId) ? "none" : undefined;
    default:
      return undefined;
  }
}

function providerOptions({ cacheKey, thinking }: ModelRequest, settings: ProviderSettings): SharedV4ProviderOptions {
  const { api } = settings;
  const given = Object.fromEntries(Object.entries(settings.options ?? {}).filter(([name]) => !OWN_OPTIONS.has(name)));
  switch (api) {
    case "anthropic":
      return { anthropic: { ...given } };
    case "openai":
      return { openai: { store: false, strictJsonSchema: false, promptCacheKey: cacheKey, ...given } };
    case "openai-responses":
    case "azure":
      return { openai: { store: false, strictJsonSchema: false, promptCacheKey: cacheKey, ...given } };
    case "google":
    case "vertex":
      return { google: { ...(thinking === "off" ? {} : { thinkingConfig: { includeThoughts: true } }), ...given } };
    case "mistral":
      return { mistral: { promptCacheKey: cacheKey, ...given } };
    case "bedrock":
      return { amazonBedrock: { ...given } };
    case "openrouter":
      return { [COMPATIBLE]: { strictJsonSchema: false, prompt_cache_key: cacheKey, ...given } };
    default:
      return { [COMPATIBLE]: { strictJsonSchema: false, ...given } };
  }
}
