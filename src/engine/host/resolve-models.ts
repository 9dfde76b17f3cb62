import { didYouMean } from "../../domains/index.ts";
import { DriverError } from "../../turns/index.ts";
import type { ListedModel } from "../engine.ts";
import type { ModelRef } from "../link/protocol.ts";
import { failureOf } from "../loop/turn-failure.ts";
import { ModelError } from "../model.ts";
import {
  API_FACTS,
  type Catalogue,
  KeyError,
  type KeySource,
  lookUpModel,
  type ProviderSettings,
  priceOf,
  type ReadSecret,
  resolveKey,
  UNKNOWN_MODEL,
} from "../providers/index.ts";

/** `models` of the configuration. */
export interface ConfiguredModels {
  readonly default?: string | undefined;
  readonly fallbacks?: readonly string[] | undefined;
  readonly providers?: { readonly [name: string]: ConfiguredProvider } | undefined;
}

type ConfiguredProvider = Omit<ProviderSettings, "key" | "headers"> & {
  readonly key?: KeySource | undefined;
  readonly headers?: { readonly [name: string]: string | HeaderSecret } | undefined;
};

export interface ModelSources {
  readonly configured: () => ConfiguredModels;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly catalogue: () => Promise<Catalogue>;
  /** The current token of a provider that one logs in to; null when the provider is none of those. */
  readonly token: (provider: string) => ((signal: AbortSignal) => Promise<string>) | null;
  /** Whether somebody has logged in to such a provider. */
  readonly isLoggedIn: (provider: string) => Promise<boolean>;
  readonly secrets: VaultSecrets;
}

interface HeaderSecret {
  readonly secret: string;
  /** Text before the value, such as `Bearer `. */
  readonly prefix?: string | undefined;
}

/** Secrets of the vault that the configuration refers to. */
export interface VaultSecrets {
  /** Records the use. Throws with what is wrong and a remedy. */
  readonly configured: (name: string, use: string, sessionId: string | null) => Promise<string>;
  /** What is wrong with it; null when nothing is. */
  readonly problem: (name: string) => Promise<{ readonly message: string } | null>;
}

/** Needs no key and no network: the model that shows a newcomer the engine. */
const DEMO_MODEL = "demo/script";
const DEMO: ConfiguredProvider = { api: "demo" };

/** NAME/MODEL: the provider's name has no slash, the model's may have. */
function split(name: string): { readonly provider: string; readonly model: string } {
  const slash = name.indexOf("/");
  return { provider: slash < 0 ? name : name.slice(0, slash), model: slash < 0 ? "" : name.slice(slash + 1) };
}

function providerOf({ configured }: ModelSources, name: string): ConfiguredProvider {
  if (name === DEMO_MODEL) return DEMO;
  const { provider, model } = split(name);
  const providers = configured().providers ?? {};
  const found = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (found !== undefined && model !== "") return found;
  const known = [...Object.keys(providers).map((one) => `${one}/MODEL`), DEMO_MODEL];
  throw new DriverError(
    "unknown_model",
    `No provider is configured for the model \`${name}\`.${didYouMean(provider, Object.keys(providers))} Models are named NAME/MODEL: ${known.join(", ")}`,
    { model: name, models: known },
  );
}

/** Throws for a name that no provider stands behind. */
export function requireModel(sources: ModelSources, name: string): void {
  providerOf(sources, name);
}

/** The model that a session uses: as chosen for it, or the configured default. */
export function chosenModel({ configured }: ModelSources, chosen: string | null): string {
  const name = chosen ?? configured().default;
  if (name !== undefined) return name;
  throw new DriverError("no_model", "No model is configured. Run `nomos model add`, or choose `demo/script`.");
}

/** The model with its key. A key is read at the last moment, so that a changed one works with the next turn. */
export async function resolveModel(
  sources: ModelSources,
  name: string,
  sessionId: string | null = null,
): Promise<ModelRef> {
  const { key, headers, models = {}, ...settings } = providerOf(sources, name);
  const { model } = split(name);
  const facts = lookUpModel(await sources.catalogue(), name) ?? {};
  const own = Object.hasOwn(models, model) ? models[model] : {};
  // The engine's process is told all about the model, so it needs no catalogue of its own.
  const told = settings.api === "demo" ? {} : { models: { [model]: { ...catalogued(facts), ...defined(own ?? {}) } } };
  const hasToken = sources.token(split(name).provider) !== null;
  const readSecret = (secret: string) => sources.secrets.configured(secret, `model ${name}`, sessionId);
  const value = hasToken ? null : await keyOf(sources, name, key, readSecret);
  const sent = headers === undefined ? {} : { headers: await headersOf(name, headers, readSecret) };
  return { name, settings: { ...settings, ...sent, ...told, key: value }, ...(hasToken ? { hasToken } : {}) };
}

/** The first one has to be there; a fallback that cannot be asked is left out. */
export async function resolveModels(
  sources: ModelSources,
  first: string,
  fallbacks: readonly string[],
  sessionId: string | null,
): Promise<readonly ModelRef[]> {
  const others = [...new Set(fallbacks)].filter((name) => name !== first);
  const [model, ...rest] = await Promise.all([
    resolveModel(sources, first, sessionId),
    ...others.map((name) => resolveModel(sources, name, sessionId).catch(() => null)),
  ]);
  return [model, ...rest.filter((one) => one !== null)];
}

export async function tokenOf(sources: ModelSources, name: string, signal: AbortSignal): Promise<string> {
  const token = sources.token(split(name).provider);
  if (token === null) throw new DriverError("model_auth", `${name} takes no login`);
  try {
    return await token(signal);
  } catch (thrown) {
    throw thrown instanceof ModelError ? new DriverError(failureOf(thrown).code, thrown.message) : thrown;
  }
}

/** Where the key of a model should come from; null: it has none, or a login. */
export function keySourceOf(sources: ModelSources, name: string): KeySource | null {
  return providerOf(sources, name).key ?? null;
}

function catalogued(facts: Partial<NonNullable<ReturnType<typeof lookUpModel>>>) {
  const { window, output, images, price } = facts;
  return {
    ...(window === undefined ? {} : { window }),
    ...(output === undefined ? {} : { output }),
    ...(images === undefined ? {} : { images }),
    ...(price == null ? {} : { price: dollarsOf(price) }),
  };
}

function defined<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>;
}

const MICRO = 1_000_000;

function dollarsOf({ input, output, cacheRead, cacheWrite }: NonNullable<ReturnType<typeof priceOf>>) {
  return {
    input: input / MICRO,
    output: output / MICRO,
    cacheRead: cacheRead / MICRO,
    cacheWrite: cacheWrite / MICRO,
  };
}

async function keyOf(
  { environment }: Pick<ModelSources, "environment">,
  name: string,
  source: KeySource | undefined,
  readSecret: ReadSecret,
): Promise<string | null> {
  if (source === undefined) return null;
  try {
    const key = await resolveKey(source, environment, readSecret);
    if (key === null && "env" in source)
      throw new KeyError(source, `The key of ${name} is the variable ${source.env}, which the daemon does not have.`);
    return key;
  } catch (thrown) {
    if (thrown instanceof KeyError) throw new DriverError("model_auth", thrown.message);
    throw thrown;
  }
}

async function headersOf(
  name: string,
  headers: NonNullable<ConfiguredProvider["headers"]>,
  readSecret: ReadSecret,
): Promise<Record<string, string>> {
  const read = async ([header, given]: [string, string | HeaderSecret]): Promise<[string, string]> => {
    if (typeof given === "string") return [header, given];
    return [header, `${given.prefix ?? ""}${await keyOf({ environment: {} }, name, given, readSecret)}`];
  };
  return Object.fromEntries(await Promise.all(Object.entries(headers).map(read)));
}

/** Every model that is named in the configuration, the usual ones of its providers, and the one without a key. */
export async function listedModels(sources: ModelSources): Promise<readonly ListedModel[]> {
  const { default: chosen, fallbacks = [], providers = {} } = sources.configured();
  const catalogue = await sources.catalogue();
  const named = Object.entries(providers).flatMap(([provider, { models = {} }]) =>
    Object.keys(models).map((model) => `${provider}/${model}`),
  );
  const asked = [...(chosen === undefined ? [] : [chosen]), ...fallbacks];
  const known = Object.keys(catalogue.models).filter((name) => Object.hasOwn(providers, split(name).provider));
  const names = [...new Set([...asked, ...named, ...known, DEMO_MODEL])].filter(
    (name) => name === DEMO_MODEL || Object.hasOwn(providers, split(name).provider),
  );
  const keys = new Map(
    await Promise.all(
      [...new Set(names.map((name) => split(name).provider))].map(
        async (provider) => [provider, await keyState(sources, provider)] as const,
      ),
    ),
  );
  return names.map((name) => listed(sources, catalogue, keys, name));
}

type KeyState = ListedModel["key"];

function listed(
  sources: ModelSources,
  catalogue: Catalogue,
  keys: ReadonlyMap<string, KeyState>,
  name: string,
): ListedModel {
  const { api, models = {} } = providerOf(sources, name);
  const { provider, model } = split(name);
  const facts = lookUpModel(catalogue, name) ?? UNKNOWN_MODEL;
  const own = (Object.hasOwn(models, model) ? models[model] : undefined) ?? {};
  const price = own.price === undefined ? facts.price : priceOf(own.price);
  return {
    name,
    api,
    window: own.window ?? facts.window,
    output: own.output ?? facts.output,
    price: price === null ? null : dollarsOf(price),
    key: keys.get(provider) ?? null,
    isDefault: name === sources.configured().default,
  };
}

/** Null when none is needed. */
async function keyState(sources: ModelSources, provider: string): Promise<KeyState> {
  const providers = sources.configured().providers ?? {};
  const settings = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (settings === undefined) return null;
  const { api, key } = settings;
  if (key !== undefined) return { source: spelled(key), ...(await readable(key, sources)) };
  if (sources.token(provider) !== null) return { source: "login", isThere: await sources.isLoggedIn(provider) };
  return API_FACTS[api].needsKey ? { source: "none", isThere: false } : null;
}

function spelled(key: KeySource): string {
  if ("env" in key) return `env ${key.env}`;
  return "file" in key ? `file ${key.file}` : `secret ${key.secret}`;
}

/** A secret is asked about and not read: a list is no use of it. */
async function readable(
  key: KeySource,
  { environment, secrets }: ModelSources,
): Promise<{ readonly isThere: boolean; readonly problem?: string }> {
  if ("secret" in key) {
    const problem = await secrets.problem(key.secret);
    return problem === null ? { isThere: true } : { isThere: false, problem: problem.message };
  }
  try {
    return { isThere: (await resolveKey(key, environment, neverAsked)) !== null };
  } catch (thrown) {
    if (thrown instanceof KeyError) return { isThere: false };
    throw thrown;
  }
}

async function neverAsked(name: string): Promise<never> {
  throw new Error(`the secret ${name} is not read here`);
}
