import type { LanguageModelV4 } from "@ai-sdk/provider";
import { z } from "zod";
import { API_FACTS, type ProviderSettings, textOption } from "../settings.ts";
import { markForOpenRouter } from "./openrouter-cache.ts";

export interface LanguageModelOrder {
  readonly settings: ProviderSettings;
  readonly modelId: string;
  /** Empty: none. It is always passed, because the packages would read the daemon's environment instead. */
  readonly key: string;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * The package's object for one request. Each package is loaded when its first request is made: one that nobody uses costs
 * neither start time nor memory. None of these objects retries; that is done by the `ai` package, which is not used.
 */
export async function openLanguageModel(order: LanguageModelOrder): Promise<LanguageModelV4> {
  const { settings, modelId } = order;
  switch (settings.api) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(common(order)).languageModel(modelId);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(common(order)).chat(modelId);
    }
    case "openai-responses": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI(common(order)).responses(modelId);
    }
    case "azure": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const azure = createOpenAI(common(order));
      return textOption(settings, "wire") === "chat" ? azure.chat(modelId) : azure.responses(modelId);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle(common(order)).languageModel(modelId);
    }
    case "mistral": {
      const { createMistral } = await import("@ai-sdk/mistral");
      return createMistral(common(order)).languageModel(modelId);
    }
    case "bedrock":
      return await openBedrock(order);
    case "vertex":
      return await openVertex(order);
    case "openai-chat":
    case "openrouter":
    case "ollama":
    case "copilot":
      return await openCompatible(order);
    case "demo":
      throw new Error("the demo model has no wire");
  }
}

/** The endpoint, without a slash at its end; null where it follows from the region. */
export function baseUrlOf({ api, baseUrl }: ProviderSettings): string | null {
  return baseUrl?.replace(/\/+$/, "") ?? API_FACTS[api].baseUrl;
}

function common({ settings, key, fetch }: LanguageModelOrder) {
  const baseURL = baseUrlOf(settings);
  return { apiKey: key, fetch, headers: { ...settings.headers }, ...(baseURL === null ? {} : { baseURL }) };
}

/** The provider's options and metadata are kept under this name. */
export const COMPATIBLE = "compatible";

async function openCompatible(order: LanguageModelOrder): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const { settings, modelId, key, fetch } = order;
  const provider = createOpenAICompatible({
    name: COMPATIBLE,
    baseURL: baseUrlOf(settings) ?? "",
    fetch,
    headers: { ...(settings.api === "copilot" ? COPILOT_HEADERS : {}), ...settings.headers },
    // Some old endpoints reject `stream_options`.
    includeUsage: settings.options?.["includeUsage"] !== false,
    supportsStructuredOutputs: true,
    ...(key === "" ? {} : { apiKey: key }),
    ...(settings.api === "openrouter" && /^~?anthropic\//.test(modelId)
      ? { transformRequestBody: markForOpenRouter }
      : {}),
  });
  return provider.chatModel(modelId);
}

/** The endpoint refuses requests that do not name an integration. */
const COPILOT_HEADERS = {
  "copilot-integration-id": "vscode-chat",
  "editor-version": "vscode/1.99.0",
  "openai-intent": "conversation-panel",
};

async function openBedrock(order: LanguageModelOrder): Promise<LanguageModelV4> {
  const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
  const { settings, modelId, key, fetch } = order;
  const baseURL = baseUrlOf(settings);
  const region = textOption(settings, "region");
  const names = ["accessKeyId", "secretAccessKey", "sessionToken"] as const;
  const signing = Object.fromEntries(
    names.map((name) => [name, textOption(settings, name)]).filter(([, value]) => value),
  );
  const provider = createAmazonBedrock({
    fetch,
    headers: { ...settings.headers },
    ...(key === "" ? signing : { apiKey: key }),
    ...(region === undefined ? {} : { region }),
    ...(baseURL === null ? {} : { baseURL }),
  });
  return provider.languageModel(modelId);
}

const Account = z.looseObject({ client_email: z.string(), private_key: z.string() });

function accountIn(key: string): z.infer<typeof Account> {
  try {
    return Account.parse(JSON.parse(key));
  } catch {
    // The parser's own message quotes the key.
    throw new Error("the API key is not the JSON of a service account");
  }
}

/** A key is an API key of the express mode, or the JSON of a service account. Without one, Google's own files are read. */
async function openVertex(order: LanguageModelOrder): Promise<LanguageModelV4> {
  const { createGoogleVertex } = await import("@ai-sdk/google-vertex");
  const { settings, modelId, key, fetch } = order;
  const baseURL = baseUrlOf(settings);
  const project = textOption(settings, "project");
  const location = textOption(settings, "location");
  const isAccount = key.startsWith("{");
  const provider = createGoogleVertex({
    fetch,
    headers: { ...settings.headers },
    ...(key === "" || isAccount ? {} : { apiKey: key }),
    ...(isAccount ? { googleAuthOptions: { credentials: accountIn(key) } } : {}),
    ...(project === undefined ? {} : { project }),
    ...(location === undefined ? {} : { location }),
    ...(baseURL === null ? {} : { baseURL }),
  });
  return provider.languageModel(modelId);
}
