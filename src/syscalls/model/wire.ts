import * as z from "zod";
import type { BreakerReport, Engine, ListedModel } from "../../engine/index.ts";
import type { ModelService } from "../../services/index.ts";

const KeyWire = z
  .object({
    source: z.string().describe("such as `secret NAME`, `env NAME` or `file PATH`"),
    isThere: z.boolean().describe("whether the daemon finds a key there"),
    problem: z.string().optional().describe("what is wrong with the secret: missing, lost, or the vault is locked"),
  })
  .nullable();

export const ListedModelWire = z.object({
  name: z.string().describe("NAME/MODEL"),
  api: z.string(),
  window: z.number().int().describe("tokens that a request and its answer may have together"),
  output: z.number().int().describe("tokens of an answer at most"),
  price: z
    .object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() })
    .nullable()
    .describe("dollars per million tokens; null: unknown, so the cost is not counted"),
  key: KeyWire.describe("null when none is needed"),
  isDefault: z.boolean(),
});

export function listedModel(model: ListedModel): z.input<typeof ListedModelWire> {
  const { price, key } = model;
  return { ...model, price: price === null ? null : { ...price }, key: key === null ? null : { ...key } };
}

export const BreakerWire = z.object({
  provider: z.string(),
  state: z.enum(["closed", "open", "half_open"]).describe("`open`: calls wait, because the provider failed repeatedly"),
  failures: z.number().int(),
  retryAt: z.string().nullable().describe("when an open one is tried again"),
});

/** Providers that failed; one that works is not worth a word. */
export function breakersWire({ breakers }: Pick<Engine, "breakers">): BreakerReport[] {
  return breakers()
    .filter(({ state, failures }) => state !== "closed" || failures > 0)
    .map((one) => ({ ...one }));
}

export const Added = z.object({
  name: z.string(),
  api: z.string(),
  models: z.array(z.string()).describe("its models that are known, NAME/MODEL"),
  tested: z.string().nullable().describe("the model to test first; null: name one"),
  key: KeyWire.describe("null when none is needed, or no model is known"),
  default: z.string().nullable(),
});

const NAMED_MAX = 100;

/** What was added, as the engine sees it. */
export async function addedProvider(
  models: Pick<ModelService, "list" | "defaultModel" | "apiOf">,
  name: string,
  model: string | undefined,
): Promise<z.input<typeof Added>> {
  const own = (await models.list()).filter((one) => one.name.startsWith(`${name}/`));
  const key = own[0]?.key ?? null;
  const tested = model === undefined ? (own[0]?.name ?? null) : `${name}/${model}`;
  return {
    name,
    api: models.apiOf(name) ?? "",
    models: own.slice(0, NAMED_MAX).map((one) => one.name),
    tested,
    key: key === null ? null : { ...key },
    default: models.defaultModel(),
  };
}

export const CatalogueWire = z.object({
  version: z.string().nullable().describe("the day of the data; null: the built-in catalogue applies"),
  models: z.number().int().nullable().describe("how many models it knows"),
});
