import * as z from "zod";
import {
  CONFIG_DEFAULTS,
  Config,
  FAN_OUT_DEFAULTS,
  HOT_KEYS,
  LANDING_DEFAULTS,
  LIMIT_DEFAULTS,
  NomosError,
  WORKTREE_DEFAULTS,
} from "../../contract/index.ts";
import { didYouMean } from "../../domains/index.ts";
import { ownEntry } from "../../kernel/index.ts";
import { shownAddress } from "../../store/index.ts";
import { shownConfig } from "./shown-config.ts";

export interface ExplainedSetting {
  /** `limits.homeBytes` */
  readonly key: string;
  /** The value in force, with possible secrets hidden; null: not set, and there is no default. */
  readonly value: unknown;
  readonly from: "default" | "config.json" | "environment" | "option";
  readonly default: unknown;
  /** A change takes effect after a restart. */
  readonly restart: boolean;
  readonly meaning: string;
  /** What may be given, as a JSON schema. */
  readonly schema: { readonly [key: string]: unknown };
}

export interface SettingSources {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What a program around Nomos configured for itself. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** One setting, or all that have a name of their own. An unknown key is refused with the nearest. */
export function explainedSettings(sources: SettingSources, key: string | undefined): readonly ExplainedSetting[] {
  if (key === undefined) return KEYS.map((one) => explained(sources, one));
  if (schemaAt(key) === null)
    throw new NomosError(
      "unknown_setting",
      { key },
      { message: `There is no setting \`${key}\`.${didYouMean(key, KEYS)}` },
    );
  return [explained(sources, key)];
}

function explained({ config, environment, given: own }: SettingSources, key: string): ExplainedSetting {
  const byDefault = ownEntry(DEFAULTS, key) ?? null;
  const variable = ownEntry(VARIABLES, key);
  const given = variable === undefined ? undefined : environment[variable] || undefined;
  const stored = valueAt(shownConfig(config), key);
  const file = valueAt(own, key) === undefined ? "config.json" : "option";
  const from = given !== undefined ? "environment" : stored !== undefined ? file : "default";
  return {
    key,
    value: (given === undefined ? stored : key === "store" ? shownAddress(given) : Number(given)) ?? byDefault,
    from,
    default: byDefault,
    restart: !HOT_KEYS.includes(key.split(".")[0] ?? ""),
    meaning: schemaAt(key)?.description ?? "",
    schema: jsonSchema(schemaAt(key)),
  };
}

/** Variables that override the file. */
const VARIABLES: { readonly [key: string]: string } = { port: "NOMOS_PORT", store: "NOMOS_STORE" };

const DEFAULTS: { readonly [key: string]: unknown } = {
  ...CONFIG_DEFAULTS,
  store: "sqlite",
  ...Object.fromEntries(Object.entries(LIMIT_DEFAULTS).map(([key, value]) => [`limits.${key}`, value])),
  ...Object.fromEntries(Object.entries(LANDING_DEFAULTS).map(([key, value]) => [`landing.${key}`, value])),
  ...Object.fromEntries(Object.entries(FAN_OUT_DEFAULTS).map(([key, value]) => [`fanOut.${key}`, value])),
  ...Object.fromEntries(Object.entries(WORKTREE_DEFAULTS).map(([key, value]) => [`worktree.${key}`, value])),
};

/** Settings, and the members of those that are objects. */
const KEYS: readonly string[] = Object.entries(Config.shape).flatMap(([key, schema]) => {
  const inner = withoutOptional(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape).map((member) => `${key}.${member}`) : [key];
});

/** The schema of a setting or of a member at any depth; null when there is none. */
function schemaAt(key: string): z.ZodType | null {
  let at: z.ZodType = Config;
  for (const name of key.split(".")) {
    const inner = withoutOptional(at);
    const next =
      inner instanceof z.ZodObject
        ? ownEntry<z.ZodType>(inner.shape, name)
        : inner instanceof z.ZodRecord
          ? inner.valueType
          : undefined;
    if (name === "" || !(next instanceof z.ZodType)) return null;
    at = next;
  }
  return at;
}

/** Checks that JSON schema cannot express are left out; the daemon checks them when a value is given. */
function jsonSchema(schema: z.ZodType | null): { readonly [key: string]: unknown } {
  if (schema === null) return {};
  const {
    $schema: _schema,
    description: _told,
    ...rest
  } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}

function withoutOptional(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}

function valueAt(config: unknown, key: string): unknown {
  return key
    .split(".")
    .reduce<unknown>(
      (at, name) => (typeof at === "object" && at !== null ? ownEntry(at as Record<string, unknown>, name) : undefined),
      config,
    );
}
