import { readFileSync, type Stats, statSync } from "node:fs";
import { UNREACHABLE, unless } from "../../errno.ts";
import { type HostRule, parseHostRule } from "./host-rules.ts";

export interface EndpointSources {
  /** The driver's environment, as the person configured it. */
  readonly env: Readonly<Record<string, string>>;
  /** The person's configuration files. */
  readonly files: readonly string[];
  /** The model's usual hosts, used when nothing else is configured. */
  readonly fallback: readonly string[];
}

const VARIABLE = /(BASE_URL|API_BASE|API_URL|ENDPOINT)$/;
/** `base_url = "..."` in TOML, `"baseURL": "..."` in JSON, `baseUrl: ...` in YAML. */
const SETTING = /\b(?:base_?url|api_?base|endpoint)["']?\s*[:=]\s*["']?(https?:\/\/[^\s"',}]+)/gi;
const FILE_BYTES_MAX = 262_144;

/** The hosts of an agent's model: those the person configured, else the vendor's. */
export function endpointRules({ env, files, fallback }: EndpointSources): HostRule[] {
  const named = Object.entries(env).flatMap(([name, value]) => (VARIABLE.test(name) ? [value] : []));
  const written = files.flatMap((file) => [...read(file).matchAll(SETTING)].map(([, url = ""]) => url));
  const set = [...named, ...written].flatMap((url) => ruleOf(url) ?? []);
  return set.length > 0 ? set : fallback.flatMap((text) => parseHostRule(text) ?? []);
}

function ruleOf(text: string): HostRule | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return parseHostRule(`${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`);
}

function read(file: string): string {
  const found = unless<Stats>(UNREACHABLE, () => statSync(file));
  if (found === null || !found.isFile() || found.size > FILE_BYTES_MAX) return "";
  return unless(UNREACHABLE, () => readFileSync(file, "utf8")) ?? "";
}
