import type { InputOf } from "../../src/client/index.ts";

type Add = InputOf<"model.add">;
type Api = NonNullable<Add["api"]>;

/** What the form holds; every text as it was typed. */
export interface AddDraft {
  readonly name: string;
  readonly api: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly keyFrom: string;
  readonly key: string;
  readonly window: string;
  readonly priceIn: string;
  readonly priceOut: string;
  readonly isDefault: boolean;
}

export const NO_DRAFT: AddDraft = {
  ...{ name: "", api: "", baseUrl: "", model: "", keyFrom: "env", key: "", window: "", priceIn: "", priceOut: "" },
  isDefault: false,
};

const API_NAMES: { readonly [api in Api]: string } = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  "openai-responses": "OpenAI responses, also of others",
  "openai-chat": "OpenAI chat, as most servers speak it",
  google: "Google Gemini",
  vertex: "Google Vertex",
  mistral: "Mistral",
  azure: "Azure OpenAI",
  bedrock: "Amazon Bedrock",
  openrouter: "OpenRouter",
  ollama: "Ollama, on your machine",
  copilot: "GitHub Copilot",
};

export const API_OPTIONS = [
  ["", "the one called like it"] as const,
  ...Object.entries(API_NAMES).map(([api, name]) => [api, `${api}: ${name}`] as const),
];

/** What was left empty is left to the daemon. */
export function addInput(draft: AddDraft): Add {
  const text = (value: string): string | undefined => (value.trim() === "" ? undefined : value.trim());
  const [api, baseUrl, model, key] = [apiIn(draft.api), text(draft.baseUrl), text(draft.model), text(draft.key)];
  const [priceIn, priceOut] = [numberIn(draft.priceIn), numberIn(draft.priceOut)];
  const window = numberIn(draft.window);
  return {
    name: draft.name.trim(),
    ...(api === undefined ? {} : { api }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(model === undefined ? {} : { model }),
    ...(key === undefined || draft.keyFrom === "" ? {} : { key: `${draft.keyFrom}:${key}` }),
    ...(window === undefined ? {} : { window }),
    ...(priceIn === undefined && priceOut === undefined
      ? {}
      : { price: { input: priceIn ?? 0, output: priceOut ?? 0 } }),
    ...(draft.isDefault ? { default: true } : {}),
  };
}

function apiIn(text: string): Api | undefined {
  return Object.keys(API_NAMES).find((api): api is Api => api === text);
}

function numberIn(text: string): number | undefined {
  return text.trim() === "" ? undefined : Number(text);
}
