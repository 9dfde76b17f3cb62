import { parseYaml } from "../yaml/parse-yaml.ts";
import { readMembers } from "./config-members.ts";
import { CONFIG_VERSION, type ConfigProblem, DEFAULT_CONFIG, type LawConfig } from "./law-config.ts";

export interface ReadConfig {
  /** Null when there is an error. */
  readonly config: LawConfig | null;
  readonly problems: readonly ConfigProblem[];
}

/** Names every wrong member at once. A missing one is a warning and gets its default. */
export function readConfig(text: string): ReadConfig {
  const parsed = parseYaml(text);
  if (!parsed.ok) return failed({ key: "", message: `line ${parsed.line}: ${parsed.reason}` });
  const { value } = parsed;
  if (value === null || typeof value !== "object" || Array.isArray(value))
    return failed({ key: "", message: "it is no mapping of names to values" });
  const given: Readonly<Record<string, unknown>> = { ...value };
  const version = given["version"];
  if (typeof version === "number" && version > CONFIG_VERSION)
    return failed({ key: "version", message: `version ${version} is newer than ${CONFIG_VERSION}`, isNewer: true });
  const { members, problems } = readMembers(given, DEFAULT_CONFIG);
  const isBroken = problems.some(({ level }) => level === "error");
  return { config: isBroken ? null : { ...DEFAULT_CONFIG, ...members }, problems };
}

/** The branch that a configuration names; null when it names none or cannot be read. */
export function branchNamedIn(text: string): string | null {
  return readConfig(text).config?.branch ?? null;
}

function failed(problem: Pick<ConfigProblem, "key" | "message" | "isNewer">): ReadConfig {
  return { config: null, problems: [{ level: "error", ...problem }] };
}
