import type { SyscallEntry } from "../../client/index.ts";
import { shellQuoted } from "../screen/shell-quoted.ts";
import { counted, spell, spellAge, spellBytes, spellCount, spellDollars, spellDuration } from "./spell.ts";
import { oneLine } from "./table.ts";

type SaidLine = NonNullable<SyscallEntry["cli"]["says"]>[number];
type SaidIf = readonly [member: string, value: string | number | boolean | null, line: string];

/** What the members of a template are read from. */
export interface Answered {
  readonly output: unknown;
  /** As the person wrote it: a session by its name. */
  readonly input: unknown;
  readonly tookMs: number;
}

/** The sentences of a definition's `says`, filled in. */
export function saidLines(says: readonly SaidLine[], answered: Answered): readonly string[] {
  return says.flatMap((said) => {
    if (typeof said === "string") return filled(said, answered);
    const held = (isList(said) ? said : [said]).find(
      ([member, value]) => (memberAt(answered.output, member) ?? null) === value,
    );
    return held === undefined ? [] : filled(held[2], answered);
  });
}

function isList(said: Exclude<SaidLine, string>): said is Exclude<SaidLine, string | SaidIf> {
  return Array.isArray(said[0]);
}

/** The rows of a definition's `card`; a row without a value is left out. */
export function cardRows(
  card: NonNullable<SyscallEntry["cli"]["card"]>,
  output: unknown,
): readonly (readonly [string, string])[] {
  return card.flatMap(([label, line]) =>
    filled(line, { output, input: null, tookMs: 0 }).map((value) => [label, value] as const),
  );
}

/** `{member|spelling}` */
const PLACE = /\{([\w.]+)(?:\|([a-z ]+))?\}/g;

/** One line, several where the line is a list, none where a member is missing, empty or zero. */
function filled(line: string, answered: Answered): readonly string[] {
  const [, listed] = /^\{([\w.]+)\|lines\}$/.exec(line) ?? [];
  if (listed !== undefined) {
    const values = memberAt(answered.output, listed);
    return Array.isArray(values) ? values.map((value) => oneLine(spellValue(value))) : [];
  }
  const places = [...line.matchAll(PLACE)];
  if (places.some(([, path = ""]) => isNothing(valueFor(path, answered)))) return [];
  // A title may hold blanks, and the next command is there to be copied.
  const isCommand = line.startsWith("Next:");
  const fill = (_whole: string, path: string, how?: string): string => {
    const text = oneLine(spelled(valueFor(path, answered), how));
    return isCommand && path.startsWith("input.") ? shellQuoted(text) : text;
  };
  return [line.replace(PLACE, fill)];
}

function valueFor(path: string, { output, input, tookMs }: Answered): unknown {
  if (path === "took") return spellDuration(Math.max(1, tookMs));
  return path.startsWith("input.") ? memberAt(input, path.slice("input.".length)) : memberAt(output, path);
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return true;
  return Array.isArray(value) && value.length === 0;
}

const LISTED_MAX = 8;
/** As git shortens the names of its commits. */
const SHORT_CHARS = 8;

function spelled(value: unknown, how: string | undefined): string {
  if (how === "age") return spellAge(value);
  if (how === "bytes") return spellBytes(Number(value));
  if (how === "count") return spellCount(Number(value));
  if (how === "dollars") return spellDollars(Number(value));
  if (how === "short") return oneLine(spellValue(value)).slice(0, SHORT_CHARS);
  if (how === "words" && Array.isArray(value)) return value.join(" ");
  if (how !== undefined) return counted(Number(value), how);
  if (!Array.isArray(value) || value.length <= LISTED_MAX) return spellValue(value);
  return `${value.slice(0, LISTED_MAX).map(spellValue).join(", ")} and ${value.length - LISTED_MAX} more`;
}

function spellValue(value: unknown): string {
  return Array.isArray(value) ? value.map(spell).join(", ") : spell(value);
}

/** Reads `turn.outcome` or `files.length`; undefined when a member is missing. */
export function memberAt(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce((at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined), value);
}
