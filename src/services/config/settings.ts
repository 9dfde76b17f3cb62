import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { CONFIG_DEFAULTS, Config, HOT_KEYS, LIMIT_DEFAULTS, NomosError } from "../../contract/index.ts";
import { jsonFault } from "../../domains/index.ts";
import { readSmallFile, writeFileAtomic } from "../../host/index.ts";
import { type StoreSettings, shownAddress } from "../../store/index.ts";
import { type ExplainedSetting, explainedSettings } from "./explained-settings.ts";
import { shownConfig, withHiddenKept } from "./shown-config.ts";

export interface ConfigService {
  /** For the daemon itself. May hold secrets: never show it. */
  readonly show: () => Config;
  /** For answers: every value that could be a secret is hidden. */
  readonly shown: () => { readonly [key: string]: unknown };
  /** The settings in force and where they come from; all of them, or one. Throws `unknown_setting`. */
  readonly explained: (key: string | undefined) => readonly ExplainedSetting[];
  /** Validates, writes the file, then applies it (some keys need a restart). */
  readonly change: (patch: Record<string, unknown>) => Promise<void>;
  readonly needRestart: (keys: readonly string[]) => string[];
}

export interface Settings extends ConfigService {
  /** Includes the password, which `show` omits. */
  readonly storeAddress: () => string | undefined;
}

/**
 * `$NOMOS_HOME/config.json`: read once, changed only through here. `given` is a program's own configuration: it stands over
 * the file and is never written to it.
 */
export async function openSettings(
  home: string,
  environment: Readonly<Record<string, string | undefined>> = {},
  given: Readonly<Record<string, unknown>> = {},
): Promise<Settings> {
  const path = join(home, "config.json");
  const text = await readSmallFile(path, CONFIG_BYTES_MAX).catch(orRefused);
  if (text === null && (await lstat(path).catch(() => null)) !== null) orRefused("it is a link that leads nowhere");
  let stored = parse(text ?? "{}");
  const inForce = (): Config =>
    Object.keys(given).length === 0 ? stored : check(laidOver({ ...stored }, given), GIVEN);
  let current = inForce();
  return {
    show: () => shown(current),
    storeAddress: () => current.store,
    needRestart: (keys) => keys.filter((key) => !HOT_KEYS.includes(key)),
    shown: () => shownConfig(current),
    explained: (key) => explainedSettings({ config: current, environment, given }, key),
    change: async (asked) => {
      const patch = withHiddenKept(asked, stored);
      const merged = merge({ ...stored }, patch);
      // Merged one by one, so that changing one limit does not reset the others.
      if (isObject(patch["limits"])) merged["limits"] = merge({ ...stored.limits }, patch["limits"]);
      const next = check(merged);
      await writeFileAtomic(path, Buffer.from(`${JSON.stringify(next, null, 2)}\n`), { mode: 0o600 });
      stored = next;
      current = inForce();
    },
  };
}

export function limit(config: ConfigService, key: keyof typeof LIMIT_DEFAULTS): number {
  return config.show().limits?.[key] ?? LIMIT_DEFAULTS[key];
}

/** A number of the configuration, or its default. */
export function setting(config: ConfigService, key: keyof typeof CONFIG_DEFAULTS): number {
  return config.show()[key] ?? CONFIG_DEFAULTS[key];
}

/** How to open the log. The environment overrides the configuration. */
export function storeSettings(
  home: string,
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): StoreSettings {
  return {
    home,
    address: environment["NOMOS_STORE"] || settings.storeAddress(),
    leaseMs: setting(settings, "storeLeaseMs"),
    waitMs: setting(settings, "storeWaitMs"),
  };
}

/** Objects are laid over each other member by member, at any depth; any other value replaces what was there. */
function laidOver(under: Readonly<Record<string, unknown>>, over: Readonly<Record<string, unknown>>): object {
  const members = Object.entries(over).map(([key, value]) => {
    const before = Object.hasOwn(under, key) ? under[key] : undefined;
    return [key, isObject(value) && isObject(before) ? laidOver(before, value) : value];
  });
  return { ...under, ...Object.fromEntries(members) };
}

function merge(before: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(config: Config): Config {
  return config.store === undefined ? config : { ...config, store: shownAddress(config.store) };
}

function parse(text: string): Config {
  try {
    return check(JSON.parse(text));
  } catch (cause) {
    if (cause instanceof NomosError) throw cause;
    const { line, column } = jsonFault(text) ?? { line: 1, column: 1 };
    const message = `config.json, line ${line}, column ${column}: this is not JSON.`;
    throw new NomosError(
      "malformed_json",
      { file: "config.json", line, column, at: String(cause) },
      { message, remedy: REMEDY, cause },
    );
  }
}

function check(value: unknown, file = "config.json"): Config {
  const parsed = Config.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
  const message = `${file}: ${issues.map((issue) => `\`${issue.field}\`: ${issue.message}`).join("; ")}.`;
  const remedy = file === GIVEN ? "Correct the `config` that the program gives." : REMEDY;
  throw new NomosError("invalid_request", { file, issues }, { message, remedy });
}

const GIVEN = "the program's configuration";

const REMEDY = "Correct `config.json` in the home, or move it away to start with the defaults.";

const CONFIG_BYTES_MAX = 4_194_304;

/** A configuration that cannot be read stops the start: running without it would ignore the person's limits. */
function orRefused(cause: unknown): never {
  throw new NomosError("config_unreadable", { file: "config.json", reason: String(cause) }, { cause });
}
