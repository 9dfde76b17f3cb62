import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { usageError } from "../arguments.ts";

/** A recorded session, how it is replayed, and what must come out. */
export interface EvalCase {
  readonly name: string;
  /** The input of `session.replay`. */
  readonly input: Readonly<Record<string, unknown>> & { readonly id: string };
  readonly expect: Expected;
}

export interface Expected {
  readonly diverged?: boolean;
  /** Rules, or parts of titles. Every refused call has to be one of these, and each of these has to be refused. */
  readonly refused?: readonly string[];
  /** Dollars: at the case's model's prices, or as recorded. */
  readonly costMax?: number;
  /** Part of what is said last; between slashes, a regular expression. */
  readonly text?: string;
}

const REPORT = "report.json";
const CASES_MAX = 1000;
const CASE_BYTES_MAX = 1_048_576;
const OPTIONS = ["model", "until", "all", "callsOnly", "budget"] as const;
const KNOWN = ["session", "policy", "expect", "name", ...OPTIONS];

/** The cases of a directory, by name. A file that is no case is refused by its name, before anything is run. */
export async function readCases(folder: string): Promise<readonly EvalCase[]> {
  const names = (await readdir(folder).catch(cannotRead(folder))).filter(isCase).toSorted();
  if (names.length === 0) throw usageError(`There is no case in ${folder}: a case is a file NAME.json.`, USAGE);
  if (names.length > CASES_MAX) throw usageError(`${folder} has more than ${CASES_MAX} cases.`, USAGE);
  const cases: EvalCase[] = [];
  for (const name of names) cases.push(await readCase(join(folder, name)));
  return cases;
}

export const USAGE = "nomos eval DIR [--model M] [--policy FILE] [--budget USD] [--out DIR]";

const isCase = (name: string): boolean => name.endsWith(".json") && name !== REPORT;

async function readCase(path: string): Promise<EvalCase> {
  const given = await readJson(path);
  const wrong = (problem: string) => usageError(`${path}: ${problem}.`, USAGE);
  if (!isObject(given)) throw wrong("a case is a JSON object");
  const unknown = Object.keys(given).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) throw wrong(`\`${unknown}\` is no member of a case; members are ${KNOWN.join(", ")}`);
  const { session, policy, expect = {}, name } = given;
  if (typeof session !== "string" || session === "") throw wrong("`session` has to name a session");
  const rules = typeof policy === "string" ? await readPolicy(resolve(dirname(path), policy)) : policy;
  const options = Object.fromEntries(OPTIONS.flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]])));
  return {
    name: typeof name === "string" ? name : basename(path, ".json"),
    input: { id: session, ...options, ...(rules === undefined ? {} : { policy: rules }) },
    expect: expectedIn(expect, wrong),
  };
}

/** A file with `{"rules": [...]}`, or a whole configuration with its `policy`. */
export async function readPolicy(path: string): Promise<unknown> {
  const given = await readJson(path);
  return isObject(given) && isObject(given["policy"]) ? given["policy"] : given;
}

function expectedIn(given: unknown, wrong: (problem: string) => Error): Expected {
  if (!isObject(given)) throw wrong("`expect` is an object");
  const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
    diverged: (value) => typeof value === "boolean",
    refused: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
    costMax: (value) => typeof value === "number" && value >= 0,
    text: (value) => typeof value === "string" && (patternIn(value) !== null || !isPattern(value)),
  };
  for (const [key, value] of Object.entries(given))
    if (checks[key]?.(value) !== true)
      throw wrong(`\`expect.${key}\` is not valid; members are diverged, refused, costMax, text`);
  return given as Expected;
}

const isPattern = (text: string): boolean => text.length > 2 && text.startsWith("/") && text.endsWith("/");

/** Null: no pattern, or no valid one. */
export function patternIn(text: string): RegExp | null {
  try {
    return isPattern(text) ? new RegExp(text.slice(1, -1), "u") : null;
  } catch {
    return null;
  }
}

async function readJson(path: string): Promise<unknown> {
  const { size } = await stat(path).catch(cannotRead(path));
  if (size > CASE_BYTES_MAX) throw usageError(`${path} is larger than ${CASE_BYTES_MAX} bytes.`, USAGE);
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw usageError(`${path} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`, USAGE);
  }
}

function cannotRead(path: string): (cause: unknown) => never {
  return (cause) => {
    throw usageError(`${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`, USAGE);
  };
}

function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}
