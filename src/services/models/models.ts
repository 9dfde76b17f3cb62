import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Config, NomosError, toNomosError } from "../../contract/index.ts";
import { didYouMean } from "../../domains/index.ts";
import type { Catalogue, Engine, ListedModel, ModelTest } from "../../engine/index.ts";
import { ownEntry } from "../../kernel/index.ts";
import { oneAtATime } from "../config/one-at-a-time.ts";
import type { ConfigService } from "../config/settings.ts";
import type { CatalogueFile } from "./catalogue-file.ts";
import type { LoginCode, ModelLogins } from "./logins.ts";
import { invalid, type NewProvider, providerOf, providerSettings, withModel } from "./provider-settings.ts";

/** Models of the own engine: `models` of the configuration, and the catalogue of limits and prices. */
export interface ModelService {
  readonly list: () => Promise<readonly ListedModel[]>;
  /** NAME/MODEL; null: none is configured. */
  readonly defaultModel: () => string | null;
  /** The API of a configured provider; null when there is none of that name. */
  readonly apiOf: (provider: string) => string | null;
  /**
   * A provider that is there gets one more model, if nothing but the model is given; otherwise it throws `model_exists`
   * unless `replace` is given. The first model becomes the default.
   */
  readonly add: (given: NewProvider & Choices) => Promise<void>;
  /** Also removes the key that was piped in for it. */
  readonly remove: (name: string) => Promise<void>;
  readonly setDefault: (model: string) => Promise<void>;
  /** Asks the model for one word; without a name, the default. */
  readonly test: (model?: string) => Promise<ModelTest>;
  readonly update: (from: CatalogueSource) => Promise<void>;
  /** Begins a login; says what the person has to do. */
  readonly login: (provider: string) => Promise<LoginCode>;
  /** The catalogue that replaces the built-in one; null: none does. */
  readonly catalogue: () => Promise<Catalogue | null>;
}

export interface Choices {
  readonly default?: boolean | undefined;
  readonly replace?: boolean | undefined;
}

export type CatalogueSource = { readonly file: string } | { readonly url: string } | { readonly reset: true };

export interface ModelDeps {
  readonly home: string;
  readonly config: ConfigService;
  readonly engine: Pick<Engine, "models" | "testModel">;
  readonly file: CatalogueFile;
  readonly logins: Pick<ModelLogins, "begin">;
  /** Called after an update, with the catalogue that replaces the built-in one. */
  readonly onCatalogue?: (catalogue: Catalogue | null) => Promise<void>;
}

/** Scripted answers for trying the engine without a key; every home has it. */
const DEMO_PROVIDER = "demo";

type Models = NonNullable<Config["models"]>;

export function createModels(deps: ModelDeps): ModelService {
  const { home, config, engine, file, logins, onCatalogue = async () => undefined } = deps;
  const models = (): Models => config.show().models ?? {};
  const providers = () => models().providers ?? {};
  const inTurn = oneAtATime();
  const change = (next: Models): Promise<void> => config.change({ models: next });

  const requireProvider = (name: string): void => {
    if (ownEntry(providers(), name) !== undefined) return;
    const message = `There is no provider \`${name}\`.${didYouMean(name, Object.keys(providers()))}`;
    throw new NomosError("model_not_found", { name }, { message });
  };
  const requireModel = async (model: string): Promise<void> => {
    // An endpoint serves models that no list knows, so a configured provider is enough.
    if (ownEntry(providers(), providerOf(model)) !== undefined) return;
    const listed = (await engine.models()).map(({ name }) => name);
    if (listed.includes(model)) return;
    const message = `There is no model \`${model}\`.${didYouMean(model, listed)}`;
    throw new NomosError("model_not_found", { model }, { message });
  };

  return {
    list: () => engine.models(),
    defaultModel: () => models().default ?? null,
    apiOf: (provider) => ownEntry(providers(), provider)?.api ?? null,
    add: ({ replace = false, default: isDefault, ...given }) =>
      inTurn(async () => {
        const { name, model } = given;
        if (name === DEMO_PROVIDER) throw invalid("the name `demo` is taken: `demo/script` needs no key", "name");
        const known = replace ? undefined : ownEntry(providers(), name);
        const settings = known === undefined ? providerSettings(given) : withModel(known, given);
        if (isDefault === true && model === undefined)
          throw invalid("which model is the default? Give `model`", "model");
        const before = models();
        const takesOver = model !== undefined && (isDefault ?? before.default === undefined);
        await change({
          ...before,
          ...(takesOver ? { default: `${name}/${model}` } : {}),
          providers: { ...providers(), [name]: settings },
        });
      }),
    remove: (name) =>
      inTurn(async () => {
        requireProvider(name);
        const { default: chosen, fallbacks, ...rest } = models();
        const { [name]: gone, ...others } = providers();
        const isKept = (model: string) => providerOf(model) !== name;
        await change({
          ...rest,
          ...(chosen !== undefined && isKept(chosen) ? { default: chosen } : {}),
          ...(fallbacks === undefined ? {} : { fallbacks: fallbacks.filter(isKept) }),
          providers: others,
        });
        const piped = keyFile(home, name);
        if (gone?.key !== undefined && "file" in gone.key && gone.key.file === piped) await rm(piped, { force: true });
      }),
    setDefault: (model) =>
      inTurn(async () => {
        await requireModel(model);
        await change({ ...models(), default: model });
      }),
    test: async (model) => {
      const asked = model ?? models().default;
      if (asked === undefined) throw new NomosError("no_model");
      await requireModel(asked);
      return engine.testModel(asked).catch((thrown: unknown) => withoutKey(asked, thrown));
    },
    login: async (provider) => {
      requireProvider(provider);
      return logins.begin(provider);
    },
    update: (from) =>
      inTurn(async () => {
        if ("reset" in from) await file.reset();
        await onCatalogue("reset" in from ? null : await file.replace(from));
      }),
    catalogue: file.read,
  };
}

/** Where a key is kept that was piped in: readable for the daemon's user alone, and in no backup. */
export function keyFile(home: string, provider: string): string {
  return join(home, "keys", "models", provider);
}

/** Of a key that cannot be read, or a login that gives no token. */
const WITHOUT_KEY: ReadonlySet<string> = new Set(["model_auth", "model_unreachable", "model_failed"]);

/** A key that cannot be had is a finding of the test, no failure of it. */
function withoutKey(model: string, thrown: unknown): ModelTest {
  if (!WITHOUT_KEY.has(toNomosError(thrown).code) || !(thrown instanceof Error)) throw thrown;
  return { ok: false, model, ms: 0, firstTokenMs: null, says: thrown.message };
}
