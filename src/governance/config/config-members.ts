import { didYouMean } from "../../domains/index.ts";
import type { ConfigProblem, LaneConfig, LawConfig } from "./law-config.ts";

interface Reader {
  readonly problems: ConfigProblem[];
}

const LIST_MAX = 256;
const TEXT_MAX = 1024;
const COUNT_MAX = 1_000_000;
const WEEK_MINUTES = 10_080;

type Members = { -readonly [K in keyof LawConfig]?: LawConfig[K] };

export function readMembers(
  given: Readonly<Record<string, unknown>>,
  defaults: LawConfig,
): { readonly members: Members; readonly problems: readonly ConfigProblem[] } {
  const reader: Reader = { problems: [] };
  const members: Members = {};
  for (const key of Object.keys(given)) if (!Object.hasOwn(defaults, key)) warn(reader, key, unknownKey(key, defaults));
  for (const key of REQUIRED) if (given[key] === undefined) warn(reader, key, "it is missing; the default applies");
  if (given["version"] !== undefined && given["version"] !== defaults.version)
    wrong(reader, "version", `it has to be ${defaults.version}`);
  if (has(given, "branch")) members.branch = text(reader, "branch", given["branch"]);
  if (has(given, "budgets")) members.budgets = budgets(reader, given["budgets"], defaults.budgets);
  if (has(given, "checks")) members.checks = list(reader, "checks", given["checks"], command);
  if (has(given, "lanes")) members.lanes = list(reader, "lanes", given["lanes"], lane);
  if (has(given, "ticketsAtOnceMax"))
    members.ticketsAtOnceMax = count(reader, "ticketsAtOnceMax", given["ticketsAtOnceMax"], COUNT_MAX);
  if (has(given, "leases")) members.leases = leases(reader, given["leases"], defaults.leases);
  if (has(given, "coUpdates")) members.coUpdates = list(reader, "coUpdates", given["coUpdates"], coUpdate);
  if (has(given, "signers")) members.signers = list(reader, "signers", given["signers"], text);
  return { members, problems: reader.problems };
}

const REQUIRED = ["version", "budgets", "checks"] as const;

function unknownKey(key: string, defaults: LawConfig): string {
  return `it is unknown and ignored.${didYouMean(key, Object.keys(defaults))}`;
}

function has(given: Readonly<Record<string, unknown>>, key: keyof LawConfig): boolean {
  return given[key] !== undefined && given[key] !== null;
}

function budgets(reader: Reader, given: unknown, defaults: LawConfig["budgets"]): LawConfig["budgets"] {
  const from = mapping(reader, "budgets", given, Object.keys(defaults));
  const one = (key: keyof LawConfig["budgets"]): number =>
    from[key] === undefined ? defaults[key] : count(reader, `budgets.${key}`, from[key], COUNT_MAX);
  return { files: one("files"), lines: one("lines") };
}

function leases(reader: Reader, given: unknown, defaults: LawConfig["leases"]): LawConfig["leases"] {
  const from = mapping(reader, "leases", given, Object.keys(defaults));
  const { remote = null, minutes } = from;
  return {
    remote: remote === null ? null : text(reader, "leases.remote", remote),
    minutes: minutes === undefined ? defaults.minutes : count(reader, "leases.minutes", minutes, WEEK_MINUTES),
  };
}

function lane(reader: Reader, key: string, given: unknown): LaneConfig {
  const from = mapping(reader, key, given, ["name", "types", "count"]);
  return {
    name: text(reader, `${key}.name`, from["name"]),
    types: list(reader, `${key}.types`, from["types"], text),
    count: count(reader, `${key}.count`, from["count"], COUNT_MAX),
  };
}

function coUpdate(reader: Reader, key: string, given: unknown): LawConfig["coUpdates"][number] {
  const from = mapping(reader, key, given, ["files", "label"]);
  return {
    files: list(reader, `${key}.files`, from["files"], text),
    label: text(reader, `${key}.label`, from["label"]),
  };
}

function command(reader: Reader, key: string, given: unknown): readonly string[] {
  const argv = list(reader, key, given, text);
  if (Array.isArray(given) && argv.length === 0) wrong(reader, key, "it names no program");
  return argv;
}

type Read<T> = (reader: Reader, key: string, given: unknown) => T;

function list<T>(reader: Reader, key: string, given: unknown, read: Read<T>): readonly T[] {
  if (Array.isArray(given) && given.length <= LIST_MAX) return given.map((one, n) => read(reader, `${key}.${n}`, one));
  wrong(reader, key, `it has to be a list of at most ${LIST_MAX} entries`);
  return [];
}

const text: Read<string> = (reader, key, given) => {
  if (typeof given === "string" && given !== "" && given.length <= TEXT_MAX) return given;
  wrong(reader, key, `it has to be a text of 1 to ${TEXT_MAX} characters`);
  return "";
};

function count(reader: Reader, key: string, given: unknown, max: number): number {
  if (typeof given === "number" && Number.isInteger(given) && given >= 1 && given <= max) return given;
  wrong(reader, key, `it has to be a whole number from 1 to ${max}`);
  return 1;
}

function mapping(
  reader: Reader,
  key: string,
  given: unknown,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    wrong(reader, key, "it has to be a mapping of names to values");
    return {};
  }
  for (const name of Object.keys(given))
    if (!known.includes(name)) warn(reader, `${key}.${name}`, `it is unknown and ignored.${didYouMean(name, known)}`);
  return { ...given };
}

function wrong({ problems }: Reader, key: string, message: string): void {
  problems.push({ level: "error", key, message });
}

function warn({ problems }: Reader, key: string, message: string): void {
  problems.push({ level: "warning", key, message });
}
