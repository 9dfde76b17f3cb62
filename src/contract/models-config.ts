import * as z from "zod";

export const ProviderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "lower-case letters, digits, `.`, `_` and `-`");
/** NAME/MODEL; a model's own name may have slashes too. */
export const ModelName = z
  .string()
  .max(200)
  .regex(/^[a-z0-9][a-z0-9._-]*\/\S+$/, "NAME/MODEL, as `nomos model list` shows them");

export const MODEL_APIS = [
  ...["openai-chat", "openai", "openai-responses", "anthropic", "google", "mistral", "azure", "bedrock", "vertex"],
  ...["openrouter", "ollama", "copilot"],
] as const;

const tokens = z.number().int().min(1).max(100_000_000);
const dollars = z.number().min(0).max(100_000);

const ModelSettings = z.object({
  window: tokens.optional().describe("tokens that a request and its answer may have together"),
  output: tokens.optional().describe("tokens of an answer at most"),
  images: z.boolean().optional().describe("whether it looks at pictures"),
  price: z
    .object({ input: dollars, output: dollars, cacheRead: dollars.optional(), cacheWrite: dollars.optional() })
    .optional()
    .describe("dollars per million tokens"),
});

/** A secret of the vault, by its name. */
export const SecretRef = z.object({ secret: z.string().min(1).max(200) }).strict();

const HeaderRef = SecretRef.extend({ prefix: z.string().max(200).optional() }).strict();

/** Where a key comes from. It is read when it is used and never written anywhere. */
const KeySource = z.union([
  z.object({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable") }).strict(),
  z.object({ file: z.string().min(1).max(4096) }).strict(),
  SecretRef,
]);

export const ProviderSettings = z.object({
  api: z.enum(MODEL_APIS).describe("which protocol the endpoint speaks"),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional(),
  key: KeySource.optional().describe(
    "`{secret: NAME}` of the vault, `{env: NAME}` of the daemon's environment, or `{file: PATH}`",
  ),
  headers: z.record(z.string().max(200), z.union([z.string().max(4096), HeaderRef])).optional(),
  options: z.record(z.string().max(200), z.json()).optional().describe("what only this provider takes"),
  stallMs: z.number().int().min(1000).optional().describe("an answer that pauses longer counts as failed"),
  models: z.record(z.string().min(1).max(200), ModelSettings).optional(),
});
export type ProviderSettings = z.infer<typeof ProviderSettings>;

export const Models = z
  .object({
    default: ModelName.optional(),
    fallbacks: z.array(ModelName).max(8).optional().describe("tried in this order when a model fails for good"),
    providers: z.record(ProviderName, ProviderSettings).optional(),
  })
  .optional()
  .describe("the models of the own engine, by provider");

export const Engine = z
  .looseObject({
    stepsMax: z.number().int().min(1).max(10_000).optional().describe("model rounds of one turn at most"),
    thinking: z.enum(["off", "low", "medium", "high"]).optional(),
    compaction: z
      .looseObject({
        enabled: z.boolean().optional(),
        strategy: z.enum(["summary", "window", "prune"]).optional(),
        reserveTokens: tokens.optional().describe("room that is kept free below the window"),
        keepRecentTokens: tokens.optional().describe("how much of the newest conversation stays as it is"),
        model: ModelName.optional().describe("which model writes summaries; default: the session's"),
      })
      .optional(),
    budgetMicroUsd: z.number().int().min(1).optional().describe("a turn that costs more than this ends"),
  })
  .optional()
  .describe("the own engine");

export const OnQuota = z
  .enum(["continue", "tell"])
  .describe(
    "when the usage limit of a foreign agent has reset: run a turn with the prompt `continue`, or only tell (the default)",
  );

export const ENGINE_DEFAULTS = { stepsMax: 200, thinking: "off", onQuota: "tell" } as const;
