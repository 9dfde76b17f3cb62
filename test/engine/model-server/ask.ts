import type { Model, ModelPart, ModelRequest } from "../../../src/engine/model.ts";
import {
  type ApiName,
  createModel,
  type ModelDeps,
  type ProviderSettings,
} from "../../../src/engine/providers/index.ts";
import type { ModelServer } from "./server.ts";

export const KEY = "sk-secret-key-0123456789";

/** Every api with its base path on the server, and a model id that its package takes for one of its own. */
export const APIS: readonly { readonly api: ApiName; readonly path: string; readonly model: string }[] = [
  { api: "anthropic", path: "/v1", model: "claude-sonnet-4-5" },
  { api: "openai", path: "/v1", model: "gpt-5" },
  { api: "openai-responses", path: "/v1", model: "gpt-5" },
  { api: "openai-chat", path: "/v1", model: "scripted" },
  { api: "openrouter", path: "/api/v1", model: "anthropic/claude-sonnet-4.5" },
  { api: "ollama", path: "/v1", model: "qwen3:8b" },
  { api: "copilot", path: "", model: "gpt-5" },
  { api: "azure", path: "/openai/v1", model: "gpt-5" },
  { api: "google", path: "/v1beta", model: "gemini-2.5-pro" },
  { api: "vertex", path: "/v1/publishers/google", model: "gemini-2.5-pro" },
  { api: "mistral", path: "/v1", model: "mistral-large-latest" },
  { api: "bedrock", path: "", model: "anthropic.claude-sonnet-4-5-20250929-v1:0" },
];

export async function modelAt(
  server: ModelServer,
  api: ApiName,
  settings: Partial<ProviderSettings> = {},
  deps: ModelDeps = {},
): Promise<Model> {
  const place = APIS.find((one) => one.api === api);
  if (place === undefined) throw new Error(`no place for ${api}`);
  const given: ProviderSettings = { api, baseUrl: `${server.url}${place.path}`, key: KEY, ...settings };
  return createModel(`test/${place.model}`, given, deps);
}

export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "You are a test.",
    messages: [{ role: "user", content: [{ kind: "text", text: "hello" }] }],
    tools: [READ],
    outputTokensMax: null,
    thinking: "off",
    schema: null,
    cacheKey: "session-1",
    ...more,
  };
}

export const READ = {
  name: "read",
  description: "Reads a file.",
  input: { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false },
};

export async function allParts(parts: AsyncIterable<ModelPart>): Promise<readonly ModelPart[]> {
  const all: ModelPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

export function ask(
  model: Model,
  more: Partial<ModelRequest> = {},
  signal = new AbortController().signal,
): Promise<readonly ModelPart[]> {
  return allParts(model.stream(request(more), signal));
}
