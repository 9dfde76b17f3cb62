import { memberOf } from "../../kernel/index.ts";

/** What is wrong with one field, and what to write instead. */
export interface TicketFault {
  readonly field: string;
  readonly message: string;
  readonly remedy: string;
}

/** Reads fields one after another: a wrong one gives its fault and its fallback, so that all faults are found at once. */
export interface FieldReader {
  readonly faults: readonly TicketFault[];
  readonly fault: (field: string, message: string, remedy: string) => void;
  readonly line: (field: string, fallback: string, charsMax: number) => string;
  readonly text: (field: string, charsMax: number) => string;
  readonly oneOf: <Word extends string>(field: string, words: readonly Word[], fallback: Word) => Word;
  readonly count: (field: string, fallback: number, min: number, max: number) => number;
  /** The items of a list; `read` answers null for a wrong one, after it said so. */
  readonly items: <T>(
    field: string,
    itemsMax: number,
    read: (item: unknown, field: string) => T | null,
  ) => readonly T[];
  readonly within: (field: string) => FieldReader;
  readonly has: (field: string) => boolean;
}

const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
/** Line breaks and tabs are allowed in a text of several lines. */
export const CONTROLS_IN_TEXT = /(?![\n\r\t])\p{Cc}/u;
const FAULTS_MAX = 50;

export function fieldReader(given: unknown, prefix = "", faults: TicketFault[] = []): FieldReader {
  const fault = (field: string, message: string, remedy: string) => {
    if (faults.length < FAULTS_MAX) faults.push({ field: field.slice(0, 100), message, remedy });
  };
  const member = (field: string): unknown => memberOf(given, field) ?? undefined;
  const string = (field: string, fallback: string, charsMax: number, forbidden: RegExp) => {
    const value = member(field);
    if (value === undefined) return fallback;
    const why = textFault(value, charsMax, forbidden);
    if (why === null) return String(value);
    fault(prefix + field, ...why);
    return fallback;
  };
  const reader: FieldReader = {
    faults,
    fault: (field, ...why) => fault(prefix + field, ...why),
    line: (field, fallback, charsMax) => string(field, fallback, charsMax, CONTROLS),
    text: (field, charsMax) => string(field, "", charsMax, CONTROLS_IN_TEXT),
    oneOf: (field, words, fallback) => {
      const value = member(field);
      const found = words.find((word) => word === value);
      if (value === undefined || found !== undefined) return found ?? fallback;
      fault(prefix + field, "is none of the known words", `Write one of: ${words.join(", ")}.`);
      return fallback;
    },
    count: (field, fallback, min, max) => {
      const value = member(field);
      if (value === undefined) return fallback;
      if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
      fault(prefix + field, "is no such whole number", `Write a number from ${min} to ${max}, without quotes.`);
      return fallback;
    },
    items: (field, itemsMax, read) => {
      const value = member(field) ?? [];
      if (!Array.isArray(value)) fault(prefix + field, "is no list", "Write a list: `[a, b]`.");
      else if (value.length > itemsMax) fault(prefix + field, "is too long", `Leave at most ${itemsMax} items.`);
      else
        return value.flatMap((item, at) => {
          const one = read(item, `${field}[${at}]`);
          return one === null ? [] : [one];
        });
      return [];
    },
    within: (field) => {
      const value = member(field);
      if (value !== undefined && (typeof value !== "object" || Array.isArray(value)))
        fault(prefix + field, "is no map", "Write its members as `name: value`, indented.");
      return fieldReader(value, `${prefix}${field}.`, faults);
    },
    has: (field) => member(field) !== undefined,
  };
  return reader;
}

/** Null when it is a text that may stand there. */
export function textFault(
  value: unknown,
  charsMax: number,
  forbidden: RegExp = CONTROLS,
): readonly [message: string, remedy: string] | null {
  if (typeof value !== "string") return ["is no text", "Put it in quotes."];
  if (value.length > charsMax) return ["is too long", `Leave at most ${charsMax} characters.`];
  if (!value.isWellFormed() || forbidden.test(value))
    return ["holds characters that are no text", "Remove control characters and broken ones."];
  return null;
}
