import { isAbsolute } from "node:path";
import { MODEL_APIS, NomosError, ProviderSettings } from "../../contract/index.ts";
import { API_FACTS } from "../../engine/index.ts";
import { refuseKeys } from "./key-like.ts";

/** A provider as a person adds it. */
export interface NewProvider {
  readonly name: string;
  /** Default: the API that the name says, such as `anthropic`. */
  readonly api?: ModelApi | undefined;
  readonly baseUrl?: string | undefined;
  /** `env:NAME`, `file:PATH` or `secret:NAME`; never the key itself. */
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly window?: number | undefined;
  readonly output?: number | undefined;
  readonly images?: boolean | undefined;
  readonly price?: Price | undefined;
}

type ModelApi = ProviderSettings["api"];
type Price = NonNullable<NonNullable<ProviderSettings["models"]>[string]["price"]>;

/** Validates, and fills in what follows from the API. */
export function providerSettings(given: NewProvider): ProviderSettings {
  const { name, baseUrl, model, key } = given;
  refuseKeys({ name, model, ...addressParts(baseUrl) });
  const api = given.api ?? apiNamed(name);
  const source = key === undefined ? usualKey(api) : keySource(key);
  const settings = {
    api,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(source === null ? {} : { key: source }),
    ...(model === undefined ? {} : { models: { [model]: modelSettings(given) } }),
  };
  const read = ProviderSettings.safeParse(settings);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(`\`${issue?.path.join(".") ?? ""}\`: ${issue?.message ?? "not valid"}`, issue?.path.join(".") ?? "");
  }
  if (model === undefined) refuseFactsOfNoModel(given);
  const example = EXAMPLES[api];
  if (baseUrl === undefined && example !== undefined)
    throw invalid(`this API has no address of its own: give \`baseUrl\`, such as ${example}`, "baseUrl");
  return read.data;
}

const EXAMPLES: { readonly [api in ModelApi]?: string } = {
  "openai-chat": "http://127.0.0.1:8080/v1",
  azure: "https://NAME.openai.azure.com/openai/v1",
};

/** One more model of a provider that is there. Throws `model_exists` when anything else is given, or the model is there. */
export function withModel(known: ProviderSettings, given: NewProvider): ProviderSettings {
  const { name, api, baseUrl, key, model } = given;
  const isOnlyModel = api === undefined && baseUrl === undefined && key === undefined && model !== undefined;
  if (!isOnlyModel || Object.hasOwn(known.models ?? {}, model)) throw new NomosError("model_exists", { name });
  refuseKeys({ model });
  return ProviderSettings.parse({ ...known, models: { ...known.models, [model]: modelSettings(given) } });
}

/** `acme`: the provider of `acme/large`. */
export function providerOf(model: string): string {
  return model.slice(0, Math.max(0, model.indexOf("/")));
}

function apiNamed(name: string): ModelApi {
  const named = MODEL_APIS.find((api) => api === name);
  if (named !== undefined) return named;
  throw invalid(`which API does ${name} speak? One of ${MODEL_APIS.join(", ")}`, "api");
}

/** The variable that people usually keep this key in. */
function usualKey(api: ModelApi): ProviderSettings["key"] | null {
  const { needsKey, keyEnv } = API_FACTS[api];
  return needsKey && keyEnv !== null ? { env: keyEnv } : null;
}

function keySource(text: string): NonNullable<ProviderSettings["key"]> {
  const [, kind, value = ""] = /^(env|file|secret):(.+)$/s.exec(text) ?? [];
  // Whatever it is, it may be a key: it is not repeated in the message.
  if (kind === undefined) throw new NomosError("key_in_argument", { field: "key" });
  if (kind === "file") {
    if (!isAbsolute(value)) throw invalid("`file:` needs an absolute path", "key");
    return { file: value };
  }
  refuseKeys({ key: value });
  return kind === "env" ? { env: value } : { secret: value };
}

/** Only what was given, so that the catalogue fills in the rest. */
function modelSettings({ window, output, images, price }: NewProvider) {
  const given = Object.entries({ window, output, images, price });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function refuseFactsOfNoModel(given: NewProvider): void {
  const fact = (["window", "output", "images", "price"] as const).find((name) => given[name] !== undefined);
  if (fact !== undefined) throw invalid(`\`${fact}\` belongs to a model: give \`model\` too`, fact);
}

/** A user, a password and a query can all be a key; a path of an endpoint may be long. */
function addressParts(url: string | undefined): { readonly [field: string]: string } {
  if (url === undefined || !URL.canParse(url)) return {};
  const { username, password, search, hash } = new URL(url);
  if (username !== "" || password !== "") throw new NomosError("key_in_argument", { field: "baseUrl" });
  return { baseUrl: `${search} ${hash}` };
}

export function invalid(problem: string, field: string): NomosError {
  return new NomosError("model_invalid", { field }, { message: `This model setting is not valid: ${problem}.` });
}
