import type { Json } from "../../kernel/index.ts";
import type { Price } from "../model.ts";

/** Wire formats and presets. A preset is another format with defaults of its own. */
export const API_NAMES = [
  "anthropic",
  "openai",
  "openai-responses",
  "openai-chat",
  "openrouter",
  "ollama",
  "copilot",
  "azure",
  "google",
  "vertex",
  "mistral",
  "bedrock",
  "demo",
] as const;

export type ApiName = (typeof API_NAMES)[number];

/** `models.providers.NAME` of the configuration, with the key already resolved. */
export interface ProviderSettings {
  readonly api: ApiName;
  readonly baseUrl?: string | undefined;
  readonly key?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly models?: Readonly<Record<string, ModelSettings>> | undefined;
  /** The longest pause of an answer; 120 s unless it says so. */
  readonly stallMs?: number | undefined;
  /**
   * Passed to the provider with each request, except for the names of ours: `region`, `accessKeyId`, `secretAccessKey`,
   * `sessionToken` (bedrock), `project`, `location` (vertex), `apiVersion`, `wire` (azure), `includeUsage`, `sendThoughts`, `clientId`, `loginUrl`, `apiUrl` (copilot).
   */
  readonly options?: Readonly<Record<string, Json>> | undefined;
}

/** What the configuration says about one model; the catalogue fills the gaps. */
export interface ModelSettings {
  readonly window?: number | undefined;
  readonly output?: number | undefined;
  readonly images?: boolean | undefined;
  readonly price?: DollarPrice | undefined;
}

/** Dollars per million tokens, as people write them. Cached tokens cost as much as others unless it says so. */
export interface DollarPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

export function priceOf({ input, output, cacheRead = input, cacheWrite = input }: DollarPrice): Price {
  const microUsd = (dollars: number): number => Math.round(dollars * 1_000_000);
  return {
    input: microUsd(input),
    output: microUsd(output),
    cacheRead: microUsd(cacheRead),
    cacheWrite: microUsd(cacheWrite),
  };
}

export interface ApiFacts {
  /** Null: the endpoint differs for each customer, so it has to be configured or follows from the region. */
  readonly baseUrl: string | null;
  /** The usual environment variable of the key, for messages. */
  readonly keyEnv: string | null;
  /** False: an endpoint that works without a key, or that finds its credentials by other means. */
  readonly needsKey: boolean;
}

export const API_FACTS: Readonly<Record<ApiName, ApiFacts>> = {
  anthropic: { baseUrl: "https://api.anthropic.com/v1", keyEnv: "ANTHROPIC_API_KEY", needsKey: true },
  openai: { baseUrl: "https://api.openai.com/v1", keyEnv: "OPENAI_API_KEY", needsKey: true },
  "openai-responses": { baseUrl: "https://api.openai.com/v1", keyEnv: "OPENAI_API_KEY", needsKey: true },
  "openai-chat": { baseUrl: null, keyEnv: null, needsKey: false },
  openrouter: { baseUrl: "https://openrouter.ai/api/v1", keyEnv: "OPENROUTER_API_KEY", needsKey: true },
  ollama: { baseUrl: "http://127.0.0.1:11434/v1", keyEnv: null, needsKey: false },
  copilot: { baseUrl: "https://api.githubcopilot.com", keyEnv: null, needsKey: true },
  azure: { baseUrl: null, keyEnv: "AZURE_OPENAI_API_KEY", needsKey: true },
  google: {
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyEnv: "GEMINI_API_KEY",
    needsKey: true,
  },
  vertex: { baseUrl: null, keyEnv: "GOOGLE_VERTEX_API_KEY", needsKey: false },
  mistral: { baseUrl: "https://api.mistral.ai/v1", keyEnv: "MISTRAL_API_KEY", needsKey: true },
  bedrock: { baseUrl: null, keyEnv: "AWS_BEARER_TOKEN_BEDROCK", needsKey: false },
  demo: { baseUrl: null, keyEnv: null, needsKey: false },
};

/** Options that are read here and not sent to a provider. */
export const OWN_OPTIONS: ReadonlySet<string> = new Set([
  "region",
  "accessKeyId",
  "secretAccessKey",
  "sessionToken",
  "project",
  "location",
  "apiVersion",
  "wire",
  "includeUsage",
  "sendThoughts",
  "clientId",
  "loginUrl",
  "apiUrl",
]);

export function textOption(settings: ProviderSettings, name: string): string | undefined {
  const value = settings.options?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
