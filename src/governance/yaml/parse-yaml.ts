import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from "yaml";
import type { Json } from "../../kernel/index.ts";

/** What a YAML text says, or why it says nothing; lines count from 1. */
export type ParsedYaml =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly line: number; readonly reason: string };

export const YAML_LIMITS = { chars: 262_144, depth: 32, lexemes: 100_000, entries: 1000, aliases: 16 } as const;
/** How often all aliases together may repeat what they name. */
const ALIAS_COUNT = 64;
/** Names that mean something to JavaScript itself. */
const FORBIDDEN_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

/**
 * One document of plain data, as a person writes it. The syntax tree is looked at before anything is built from it, so
 * that depth and size are bounded. Refuses custom tags, duplicate keys, keys that are no text, and numbers that JSON
 * has not. An empty text is null.
 */
export function parseYaml(text: string): ParsedYaml {
  if (text.length > YAML_LIMITS.chars) return fault(1, `it has more than ${YAML_LIMITS.chars} characters`);
  const lines = new LineCounter();
  const read = tokensOf(text, lines);
  if ("reason" in read) return fault(lines.linePos(read.offset).line, read.reason);
  const { tokens } = read;
  const [document] = [...new Composer(COMPOSING).compose(tokens, true, text.length)];
  if (document === undefined) return { ok: true, value: null };
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong !== undefined) return fault(lines.linePos(wrong.pos[0]).line, firstLine(wrong.message));
  return plainValue(document);
}

const COMPOSING = {
  version: "1.2",
  schema: "core",
  uniqueKeys: true,
  stringKeys: true,
  merge: false,
  keepSourceTokens: false,
  prettyErrors: false,
} as const;

function plainValue(document: Document.Parsed): ParsedYaml {
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIAS_COUNT });
    const reason = whyNoJson(value);
    return reason === null ? { ok: true, value: value as Json } : fault(1, reason);
  } catch (thrown) {
    // An alias that names nothing, itself, or too much.
    if (thrown instanceof ReferenceError) return fault(1, firstLine(thrown.message));
    throw thrown;
  }
}

interface Oddity {
  readonly offset: number;
  readonly reason: string;
}

/** The syntax tree; refused while it grows, so that a text of brackets costs neither time nor the program's stack. */
function tokensOf(text: string, lines: LineCounter): Oddity | { readonly tokens: readonly CST.Token[] } {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  const seen = { lexemes: 0, aliases: 0 };
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    seen.lexemes += 1;
    if (lexeme.startsWith("*")) seen.aliases += 1;
    tokens.push(...parser.next(lexeme));
    const reason = tooMuch(seen, parser.stack.length);
    if (reason !== null) return { offset: parser.offset, reason };
  }
  tokens.push(...parser.end());
  const [, second] = tokens.filter(({ type }) => type === "document");
  if (second !== undefined) return { offset: second.offset, reason: "there is more than one document" };
  return tooWide(tokens) ?? { tokens };
}

function tooMuch(seen: { readonly lexemes: number; readonly aliases: number }, depth: number): string | null {
  if (depth > YAML_LIMITS.depth) return `it is nested more than ${YAML_LIMITS.depth} deep`;
  if (seen.lexemes > YAML_LIMITS.lexemes) return "it has too many values";
  return seen.aliases > YAML_LIMITS.aliases ? `it has more than ${YAML_LIMITS.aliases} aliases` : null;
}

/** Whether keys are unique is compared pair by pair. */
function tooWide(tokens: readonly CST.Token[]): Oddity | null {
  const pending = [...tokens];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const inner = innerOf(next);
    if (inner.length > 2 * YAML_LIMITS.entries)
      return { offset: next.offset, reason: `a list or mapping has more than ${YAML_LIMITS.entries} entries` };
    pending.push(...inner);
  }
  return null;
}

function innerOf(token: CST.Token): readonly CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value]).filter((one) => one !== undefined && one !== null);
}

function whyNoJson(value: unknown, depth = 0): string | null {
  if (depth > YAML_LIMITS.depth) return "an alias repeats itself";
  if (typeof value === "number") return Number.isFinite(value) ? null : "a number is not finite";
  if (typeof value === "string") return value.isWellFormed() ? null : "a text is not valid Unicode";
  if (value === null || typeof value === "boolean") return null;
  if (typeof value !== "object") return `a value is a ${typeof value}`;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return "a value is no plain data";
  const key = Object.keys(value).find((name) => FORBIDDEN_KEYS.includes(name) || !name.isWellFormed());
  if (key !== undefined) return `the key ${JSON.stringify(key)} is not allowed`;
  for (const inner of Object.values(value)) {
    const reason = whyNoJson(inner, depth + 1);
    if (reason !== null) return reason;
  }
  return null;
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? text;

function fault(line: number, reason: string): ParsedYaml {
  return { ok: false, line, reason };
}
