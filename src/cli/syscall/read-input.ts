import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import type { Member, SyscallEntry } from "../../client/index.ts";
import { parseArguments, usageError } from "../arguments.ts";
import type { Terminal } from "../terminal.ts";
import type { FoundSyscall } from "./find-syscall.ts";
import { kebab, takesRest, usageOf } from "./usage.ts";

export interface ReadInput {
  readonly input: Record<string, unknown>;
  readonly idempotencyKey: string | null;
}

/** Converts words and options to the syscall's input. The daemon validates the values. */
export async function readInput(terminal: Terminal, found: FoundSyscall, entry: SyscallEntry): Promise<ReadInput> {
  const { rest, spelling } = found;
  const { paths = [], files = [], here, otherwise } = entry.cli;
  const usage = usageOf(spelling, entry);
  const { values, positionals } = parseArguments(withoutBooleanValues(rest, entry), optionsFor(entry));
  const given = new Map<string, readonly string[] | boolean>();
  for (const member of entry.input) {
    const value = values[kebab(member.name)] ?? values[member.name];
    if (typeof value === "boolean") given.set(member.name, value);
    else if (value !== undefined) given.set(member.name, [value].flat().map(String));
  }
  const placed = new Map(byPosition(entry, given, positionals, usage));
  for (const [name, words] of placed) given.set(name, words);

  const input: Record<string, unknown> = {};
  for (const member of entry.input) {
    const value = given.get(member.name);
    // The arguments of a program may have commas.
    const isWhole = member.name === "argv" && placed.has(member.name);
    const kept = { isPath: paths.includes(member.name), isFile: files.includes(member.name), isWhole };
    if (value !== undefined) input[member.name] = await convert(terminal, { ...member, ...kept }, value, usage);
    else if (member.name === here?.member) {
      if (!here.unless.some((name) => given.has(name))) input[member.name] = terminal.cwd;
    } else if (member.name === otherwise?.member) input[member.name] = otherwise.value;
    else if (member.required) throw usageError(`${kebab(member.name)} is missing.`, usage);
  }
  const key = values["idempotency-key"];
  return { input, idempotencyKey: typeof key === "string" ? key : null };
}

function optionsFor(entry: SyscallEntry): ParseArgsOptionsConfig {
  const options: ParseArgsOptionsConfig = { "idempotency-key": { type: "string" } };
  for (const { name, type } of entry.input) {
    const option =
      type === "boolean"
        ? ({ type: "boolean" } as const)
        : type === "list"
          ? ({ type: "string", multiple: true } as const)
          : ({ type: "string" } as const);
    options[name] = option;
    // As `nomos run` and `git` have it.
    options[kebab(name)] = name === "cwd" ? { ...option, short: "C" } : option;
  }
  return options;
}

/** Rewrites `--queue=false` as `--no-queue`: Node's parser accepts only the latter. */
function withoutBooleanValues(args: readonly string[], entry: SyscallEntry): readonly string[] {
  const flags = entry.input.filter(({ type }) => type === "boolean").flatMap(({ name }) => [name, kebab(name)]);
  return args.map((word) => {
    const [, name = "", value] = /^--([\w-]+)=(true|false|1|0)$/.exec(word) ?? [];
    if (!flags.includes(name)) return word;
    return value === "true" || value === "1" ? `--${name}` : `--no-${name}`;
  });
}

/** The last positional member takes the rest of the line if it is text or a list. */
function byPosition(
  entry: SyscallEntry,
  given: ReadonlyMap<string, unknown>,
  words: readonly string[],
  usage: string,
): readonly (readonly [string, readonly string[]])[] {
  const names = entry.cli.positional.filter((name) => !given.has(name));
  const last = entry.input.find(({ name }) => name === names.at(-1));
  const tooMany = words[names.length];
  if (tooMany !== undefined && (last === undefined || !takesRest(last)))
    throw usageError(`Unexpected argument "${tooMany}".`, usage);
  return names.flatMap((name, at) => {
    const isLast = at === names.length - 1;
    const mine = isLast ? words.slice(at) : words.slice(at, at + 1);
    if (mine.length === 0) return [];
    return [[name, isLast && last?.type === "text" ? [mine.join(" ")] : mine] as const];
  });
}

async function convert(
  terminal: Terminal,
  member: Member & { readonly isPath: boolean; readonly isFile: boolean; readonly isWhole: boolean },
  given: readonly string[] | boolean,
  usage: string,
): Promise<unknown> {
  if (typeof given === "boolean") return given;
  const option = `--${kebab(member.name)}`;
  const [text = ""] = given;
  switch (member.type) {
    case "boolean":
      return text === "true";
    case "number": {
      const number = Number(text);
      if (text.trim() === "" || Number.isNaN(number)) throw usageError(`${option} is not a number: ${text}.`, usage);
      return number;
    }
    case "list":
      return member.isWhole ? given : given.flatMap((one) => one.split(",")).filter((one) => one !== "");
    case "json":
      if (member.isFile && text !== "-" && !/^\s*[[{]/.test(text))
        return parseJson(await readNamed(resolve(terminal.cwd, text), option, usage), option, usage);
      return parseJson(text === "-" ? await terminal.readInput() : text, option, usage);
    case "text": {
      if (member.values !== null && !member.values.includes(text))
        throw usageError(`${option} is one of ${member.values.join(", ")}.`, usage);
      if (member.isPath) return resolve(terminal.cwd, text);
      if (member.isFile && text !== "-" && !text.trimStart().startsWith("{"))
        return readNamed(resolve(terminal.cwd, text), option, usage);
      return text === "-" ? withoutLastNewline(await terminal.readInput()) : text;
    }
  }
}

async function readNamed(path: string, option: string, usage: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw usageError(`${option} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`, usage);
  }
}

function parseJson(text: string, option: string, usage: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usageError(`${option} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`, usage);
  }
}

/** Removes the newline at the end of a text file, which is not part of the value. */
function withoutLastNewline(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}
