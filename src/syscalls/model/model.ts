import * as z from "zod";
import { MODEL_APIS, ModelName, NomosError, ProviderName } from "../../contract/index.ts";
import { type Context, read, type Syscall, write } from "../define.ts";
import { Limit } from "../query-text.ts";
import { Added, addedProvider, CatalogueWire, ListedModelWire, listedModel } from "./wire.ts";

const LIST_DEFAULT = 200;
const LIST_MAX = 1000;
const aboutIt = (input: Record<string, unknown>) => `model/${String(input["name"] ?? "")}`;
const tokens = z.number().int().min(1).max(100_000_000);
const dollars = z.number().min(0).max(100_000);

export const model: readonly Syscall[] = [
  read({
    name: "model.list",
    summary: "List the models that the agent `nomos` can use, with limits, prices and where their keys come from",
    permission: "model.read",
    roles: ["viewer"],
    needs: ["models"],
    about: "system",
    input: z.object({
      limit: Limit(LIST_MAX),
      after: z.string().max(300).optional().describe("`next` of the previous page"),
    }),
    output: z.object({
      models: z.array(ListedModelWire),
      next: z.string().nullable(),
      default: z.string().nullable().describe("the model of sessions that name none; null: none is configured"),
    }),
    errors: [],
    http: { method: "GET", path: "/api/models" },
    cli: { positional: [] },
    answer: async ({ services: { models } }, { limit = LIST_DEFAULT, after }) => {
      const all = await models.list();
      const from = after === undefined ? 0 : all.findIndex(({ name }) => name === after) + 1;
      const page = all.slice(from, from + limit);
      const next = from + limit < all.length ? (page.at(-1)?.name ?? null) : null;
      return { models: page.map(listedModel), next, default: models.defaultModel() };
    },
  }),
  write({
    name: "model.add",
    summary:
      "Add a model provider, or a model to one: which API it speaks, where its key is; the first model is the default",
    permission: "model.write",
    roles: [],
    needs: ["models"],
    rights: "person",
    about: aboutIt,
    input: z.object({
      name: ProviderName.describe("what you call the provider; its models are NAME/MODEL"),
      api: z.enum(MODEL_APIS).optional().describe("the protocol of its endpoint; default: the one called like it"),
      baseUrl: z.url().max(2048).optional().describe("the endpoint; default: the API's own"),
      key: z
        .string()
        .max(4200)
        .optional()
        .describe(
          "where its key is: `secret:NAME` of the vault, `env:NAME` of the daemon's environment or `file:PATH`; never the key itself",
        ),
      model: z.string().min(1).max(200).optional().describe("one of its models, as the provider calls it"),
      window: tokens.optional().describe("tokens that a request and its answer may have together"),
      output: tokens.optional().describe("tokens of an answer at most"),
      images: z.boolean().optional().describe("whether the model looks at pictures"),
      price: z
        .object({ input: dollars, output: dollars, cacheRead: dollars.optional(), cacheWrite: dollars.optional() })
        .optional()
        .describe("dollars per million tokens"),
      default: z.boolean().optional().describe("make the model the default, also when there is one already"),
      replace: z.boolean().optional().describe("replace a provider of this name"),
    }),
    output: Added,
    errors: ["sandbox_floor", "model_exists", "model_invalid", "key_in_argument", "invalid_request"],
    http: { method: "POST", path: "/api/models", status: 201 },
    cli: {
      positional: ["name"],
      says: [
        "Added {name} ({api}).",
        "The default model is {default}.",
        ["key.isThere", false, "Its key is missing ({key.source})."],
        "{key.problem}",
        ["api", "copilot", "Next: nomos model login {name}"],
        ["default", null, "Next: nomos model default {name}/MODEL"],
        "Next: nomos model test {tested}",
        ["tested", null, "Next: nomos model test {name}/MODEL"],
      ],
    },
    commit: async ({ services }, given) => {
      await services.models.add(given);
      return [];
    },
    answer: async ({ services }, { name, model }) => addedProvider(services.models, name, model),
  }),
  write({
    name: "model.test",
    summary: "Ask a model for one word, and say what is wrong with its key or endpoint if it does not answer",
    permission: "model.write",
    roles: [],
    needs: ["models"],
    rights: "person",
    about: "system",
    input: z.object({ model: ModelName.optional().describe("NAME/MODEL; default: the default model") }),
    output: z.object({
      ok: z.boolean(),
      model: z.string(),
      ms: z.number(),
      firstTokenMs: z.number().nullable().describe("until the first token; null: none came"),
      says: z.string(),
    }),
    errors: ["sandbox_floor", "no_model", "model_not_found", "unknown_model", "engine_failed"],
    http: { method: "POST", path: "/api/models/test" },
    cli: { positional: ["model"], says: ["{says}", ["ok", true, 'Next: nomos run -a nomos --model {model} "prompt"']] },
    idempotent: true,
    commit: async () => [],
    answer: ({ services }, { model }) => services.models.test(model),
  }),
  write({
    name: "model.default",
    summary: "Choose the model of sessions that name none",
    permission: "model.write",
    roles: [],
    needs: ["models"],
    rights: "person",
    about: "system",
    input: z.object({ model: ModelName.describe("NAME/MODEL, as `model list` shows them") }),
    output: z.object({ default: z.string() }),
    errors: ["sandbox_floor", "model_not_found", "invalid_request"],
    http: { method: "PUT", path: "/api/models/default" },
    cli: { positional: ["model"], says: ["The default model is {default}.", "Next: nomos model test"] },
    idempotent: true,
    commit: async ({ services }, { model }) => {
      await services.models.setDefault(model);
      return [];
    },
    answer: async (_context, { model }) => ({ default: model }),
  }),
  write({
    name: "model.remove",
    summary: "Remove a provider with its models, and the key that was piped in for it",
    permission: "model.write",
    roles: [],
    needs: ["models"],
    rights: "person",
    about: aboutIt,
    input: z.object({ name: ProviderName }),
    output: z.object({ ok: z.literal(true), name: z.string(), default: z.string().nullable() }),
    errors: ["sandbox_floor", "model_not_found", "invalid_request"],
    http: { method: "DELETE", path: "/api/models/:name" },
    cli: {
      positional: ["name"],
      says: [
        "Removed {name}.",
        "The default model is {default}.",
        ["default", null, "There is no default model. Next: nomos model default NAME/MODEL"],
      ],
    },
    destructive: true,
    commit: async ({ services }, { name }) => {
      await services.models.remove(name);
      return [];
    },
    answer: async ({ services }, { name }) => ({ ok: true as const, name, default: services.models.defaultModel() }),
  }),
  write({
    name: "model.login",
    summary: "Log in to a provider that has a login instead of a key, such as GitHub Copilot",
    permission: "model.write",
    roles: [],
    needs: ["models"],
    rights: "person",
    about: aboutIt,
    input: z.object({ name: ProviderName }),
    output: z.object({
      page: z.string().describe("open this page"),
      code: z.string().describe("and enter this code"),
      expiresInS: z.number(),
    }),
    errors: ["sandbox_floor", "model_not_found", "login_unsupported", "login_failed"],
    http: { method: "POST", path: "/api/models/:name/login" },
    cli: {
      positional: ["name"],
      says: ["Open {page} and enter {code}.", "Next: nomos model test, once you did."],
    },
    idempotent: true,
    commit: async () => [],
    answer: ({ services }, { name }) => services.models.login(name),
  }),
  write({
    name: "model.update",
    summary: "Replace the limits and prices of well-known models by a newer catalogue, or go back to the built-in one",
    permission: "model.write",
    roles: [],
    needs: ["models"],
    rights: "person",
    about: "system",
    input: z.object({
      file: z.string().min(1).max(4096).optional().describe("a catalogue as a JSON file, at most 4 MB"),
      url: z.url().max(2048).optional().describe("an https address; http only on this machine"),
      reset: z.boolean().optional().describe("use the catalogue of this version of Nomos again"),
    }),
    output: CatalogueWire,
    errors: ["sandbox_floor", "catalogue_invalid", "model_invalid"],
    http: { method: "POST", path: "/api/models/update" },
    cli: {
      positional: [],
      paths: ["file"],
      says: [
        "Limits and prices are those of {version}: {models|model}.",
        ["version", null, "Limits and prices are those of this version of Nomos."],
        "Next: nomos model list",
      ],
    },
    idempotent: true,
    commit: async (context, given) => {
      await update(context, given);
      return [];
    },
    answer: async ({ services }) => {
      const catalogue = await services.models.catalogue();
      return catalogue === null
        ? { version: null, models: null }
        : { version: catalogue.version, models: Object.keys(catalogue.models).length };
    },
  }),
];

/** Exactly one source: two would leave open which one is meant. */
async function update(
  { services: { models } }: Context<"models">,
  {
    file,
    url,
    reset,
  }: { readonly file?: string | undefined; readonly url?: string | undefined; readonly reset?: boolean | undefined },
): Promise<void> {
  const sources = [
    ...(file === undefined ? [] : [{ file }]),
    ...(url === undefined ? [] : [{ url }]),
    ...(reset === true ? [{ reset }] : []),
  ] as const;
  const [source] = sources;
  if (source === undefined || sources.length > 1)
    throw new NomosError(
      "model_invalid",
      { given: sources.length },
      { message: "Name one source of the catalogue.", remedy: "Give `--file PATH`, `--url URL` or `--reset`." },
    );
  await models.update(source);
}
