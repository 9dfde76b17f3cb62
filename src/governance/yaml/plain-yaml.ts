import type { Json } from "../../kernel/index.ts";

/**
 * Reads the part of YAML that we write, ten times as fast as the whole of it: maps and lists by indentation, plain and
 * quoted texts, whole numbers, short lists in brackets, literal blocks. Undefined for whatever else there is, also for
 * what could mean two things: then `parseYaml` reads it. Never another value than that gives.
 */
export function readPlainYaml(text: string): Json | undefined {
  if (text.length > CHARS_MAX || !text.endsWith("\n") || ODD.test(text)) return undefined;
  const reader: Reader = { lines: text.slice(0, -1).split("\n"), at: 0 };
  const value = readMap(reader, 0, 0);
  return reader.at === reader.lines.length ? value : undefined;
}

interface Reader {
  readonly lines: readonly string[];
  at: number;
}

const CHARS_MAX = 65_536;
const ENTRIES_MAX = 1000;
const DEPTH_MAX = 8;
const STEP = 2;
/** Tabs, returns, and what is no text or not seen. */
const ODD = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u{10000}-\u{10ffff}]|^(?:%|---|\.\.\.)/mu;
const PAIR = /^( *)([A-Za-z][A-Za-z0-9_]*):(?: (.*))?$/;
const ITEM = /^( *)- (.+)$/;
const FORBIDDEN: readonly string[] = ["__proto__", "constructor", "prototype"];

function readMap(reader: Reader, indent: number, depth: number): Json | undefined {
  const found: Record<string, Json> = {};
  if (depth > DEPTH_MAX) return undefined;
  for (let line = reader.lines[reader.at]; line !== undefined; line = reader.lines[reader.at]) {
    const [, spaces, key = "", value] = PAIR.exec(line) ?? [];
    if (spaces?.length !== indent) {
      if (endsHere(line, indent)) break;
      return undefined;
    }
    if (Object.hasOwn(found, key) || FORBIDDEN.includes(key)) return undefined;
    reader.at += 1;
    const read = value === undefined ? readBelow(reader, indent, depth) : readValue(reader, value, indent);
    if (read === undefined) return undefined;
    found[key] = read;
  }
  const count = Object.keys(found).length;
  return count === 0 || count > ENTRIES_MAX ? undefined : found;
}

/** Whether a line belongs to something further out. */
function endsHere(line: string, indent: number): boolean {
  const [, spaces] = PAIR.exec(line) ?? ITEM.exec(line) ?? [];
  return spaces !== undefined && spaces.length < indent;
}

/** What belongs to a key whose line holds nothing else. */
function readBelow(reader: Reader, indent: number, depth: number): Json | undefined {
  const next = reader.lines[reader.at] ?? "";
  const [, spaces] = ITEM.exec(next) ?? [];
  if (spaces !== undefined)
    return spaces.length === indent + STEP ? readList(reader, indent + STEP, depth + 1) : undefined;
  return PAIR.exec(next)?.[1]?.length === indent + STEP ? readMap(reader, indent + STEP, depth + 1) : undefined;
}

function readList(reader: Reader, indent: number, depth: number): Json | undefined {
  const found: Json[] = [];
  if (depth > DEPTH_MAX) return undefined;
  for (let line = reader.lines[reader.at]; line !== undefined; line = reader.lines[reader.at]) {
    const [, spaces, value = ""] = ITEM.exec(line) ?? [];
    if (spaces?.length !== indent) {
      if (endsHere(line, indent)) break;
      return undefined;
    }
    const read = PAIR.test(value) ? readItemMap(reader, value, indent, depth) : readItem(reader, value);
    if (read === undefined) return undefined;
    found.push(read);
  }
  return found.length > ENTRIES_MAX ? undefined : found;
}

function readItem(reader: Reader, value: string): Json | undefined {
  reader.at += 1;
  return readScalar(value);
}

/** `- id: A`, and the other members below it, as if the dash were a space. */
function readItemMap(reader: Reader, value: string, indent: number, depth: number): Json | undefined {
  const inner = " ".repeat(indent + STEP);
  if (value.startsWith(" ")) return undefined;
  const own: Reader = { lines: [`${inner}${value}`, ...rest(reader)], at: 0 };
  const read = readMap(own, indent + STEP, depth + 1);
  reader.at += own.at;
  return read;
}

/** Only as far as the item can reach: a long list stays linear. */
function rest({ lines, at }: Reader): readonly string[] {
  let end = at + 1;
  const own = /^ */.exec(lines[at] ?? "")?.[0].length ?? 0;
  while (end < lines.length && (lines[end] === "" || (/^ */.exec(lines[end] ?? "")?.[0].length ?? 0) > own)) end += 1;
  return lines.slice(at + 1, end);
}

function readValue(reader: Reader, value: string, indent: number): Json | undefined {
  return value === "|" || value === "|-" ? readBlock(reader, indent + STEP, value === "|") : readScalar(value);
}

function readBlock(reader: Reader, indent: number, endsWithLine: boolean): string | undefined {
  const margin = " ".repeat(indent);
  const lines: string[] = [];
  for (let line = reader.lines[reader.at]; line !== undefined; line = reader.lines[reader.at]) {
    if (line !== "" && !line.startsWith(margin)) break;
    lines.push(line.slice(indent));
    reader.at += 1;
  }
  const [first = "", last = ""] = [lines.at(0), lines.at(-1)];
  if (first === "" || first.startsWith(" ") || last.trim() === "" || lines.some(isBlank)) return undefined;
  return lines.join("\n") + (endsWithLine ? "\n" : "");
}

const isBlank = (line: string): boolean => line !== "" && line.trim() === "";

const QUOTED = /^"(?:[^"\\]|\\["\\/bfnrt])*"$/;
const NUMBER = /^(?:0|[1-9]\d{0,14})$/;
/** Begins with a letter, or as a time does, so that it is no number and nothing that YAML has a sign for. */
const PLAIN = /^(?:\p{L}|\d{4}-\d\d-\d\dT)(?:[^:#]|:(?! |$)|(?<! )#)*$/u;
const WORDS = /^(?:null|true|false)$/i;
const FLOW = /^\[ ?(.*?) ?\]$/;

function readScalar(value: string): Json | undefined {
  if (value === "[]") return [];
  if (NUMBER.test(value)) return Number(value);
  if (QUOTED.test(value)) return JSON.parse(value) as string;
  const [, flow] = FLOW.exec(value) ?? [];
  if (flow !== undefined) return readFlow(flow);
  return PLAIN.test(value) && !WORDS.test(value) && !value.endsWith(" ") ? value : undefined;
}

/** Texts alone, so that commas and brackets in them cannot be mistaken. */
function readFlow(inner: string): Json | undefined {
  const found: Json[] = [];
  for (const part of inner.split(", ")) {
    const isQuoted = QUOTED.test(part) && !/[,[\]{}]/.test(part);
    const read = isQuoted || !/[,[\]{}"'\\]/.test(part) ? readScalar(part) : undefined;
    if (read === undefined || typeof read === "object") return undefined;
    found.push(read);
  }
  return found;
}
