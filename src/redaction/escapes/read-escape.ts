import { ENTITIES } from "./entities.ts";

/** What `readEscape` answers when there is no escape, or when the text ends within one. */
export const NO_ESCAPE = 0;
export const CUT_ESCAPE = -1;

/** The bytes that an escape stands for. Reused from call to call: reading a text allocates nothing. */
export interface EscapeBytes {
  readonly bytes: Uint8Array;
  length: number;
}

export function createEscapeBytes(): EscapeBytes {
  return { bytes: new Uint8Array(4), length: 0 };
}

/**
 * Reads one escape of JSON, C, a shell, a URL or HTML at `at`: answers its length in the text. They can be told apart by
 * their first byte, so one reader serves for text that was escaped in several ways.
 */
export function readEscape(text: Uint8Array, at: number, to: number, out: EscapeBytes): number {
  switch (text[at]) {
    case BACKSLASH:
      return readBackslash(text, at, to, out);
    case PERCENT:
      return readPercent(text, at, to, out);
    case AMPERSAND:
      return readEntity(text, at, to, out);
    case APOSTROPHE:
      return readQuoted(text, at, to, out, APOSTROPHE, QUOTE);
    case QUOTE:
      return readQuoted(text, at, to, out, QUOTE, APOSTROPHE);
    default:
      return NO_ESCAPE;
  }
}

/** Bytes at which an escape may begin and that ordinary text has seldom enough to look at each. */
export function startsEscape(byte: number): boolean {
  return byte === BACKSLASH || byte === PERCENT || byte === AMPERSAND;
}

/** The same, and quotes, which a shell writes by other quotes. */
export function mayEscape(byte: number): boolean {
  return startsEscape(byte) || byte === APOSTROPHE || byte === QUOTE;
}

/** The first two bytes of escapes that may stand for any byte: `%41`, `&#65;`, `\u0041`, and one more level of escapes. */
export function* escapesOfAnything(): Generator<readonly [number, number]> {
  for (let byte = 0; byte < 0x80; byte += 1) {
    if (hexDigit(byte) >= 0 || byte === 0x75) yield [PERCENT, byte];
    if (isLetter(byte) || byte === HASH) yield [AMPERSAND, byte];
    if (isOctal(byte) || [0x75, 0x78, LINE_FEED].includes(byte) || startsEscape(byte)) yield [BACKSLASH, byte];
  }
}

/** What follows a backslash that stands for this byte. Nobody escapes letters and digits that way; patterns do: `\d`. */
export function lettersFor(byte: number): readonly number[] {
  return [
    ...(isLetter(byte) || (byte >= 0x30 && byte <= 0x39) ? [] : [byte]),
    ...[...CONTROLS].flatMap(([letter, control]) => (control === byte ? [letter] : [])),
  ];
}

export const APOSTROPHE = 0x27;
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const HASH = 0x23;
const SEMICOLON = 0x3b;
const LINE_FEED = 0x0a;
const ENTITY_MAX_BYTES = 10;

const CONTROLS = new Map<number, number>(
  Object.entries({ a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, e: 27 }).map(([letter, code]) => [
    letter.charCodeAt(0),
    code,
  ]),
);

function readBackslash(text: Uint8Array, at: number, to: number, out: EscapeBytes): number {
  if (at + 1 >= to) return CUT_ESCAPE;
  const next = text[at + 1] ?? 0;
  if (next === 0x75) return readUnicode(text, at, to, out);
  if (next === 0x78) {
    const byte = hexAt(text, at + 2, 2, to);
    return byte === NOT_HEX ? one(out, next, 2) : byte === CUT_HEX ? CUT_ESCAPE : one(out, byte, 4);
  }
  if (next === LINE_FEED) {
    out.length = 0;
    return 2;
  }
  if (isOctal(next)) return readOctal(text, at, to, out);
  return one(out, CONTROLS.get(next) ?? next, 2);
}

/** `\101`, as `printf %q` and git write bytes that are not ASCII. */
function readOctal(text: Uint8Array, at: number, to: number, out: EscapeBytes): number {
  if (at + 3 >= to)
    return at + 2 < to && !isOctal(text[at + 2] ?? 0) ? one(out, (text[at + 1] ?? 0) - 0x30, 2) : CUT_ESCAPE;
  const [a = 0, b = 0, c = 0] = [text[at + 1], text[at + 2], text[at + 3]];
  if (!isOctal(b) || !isOctal(c)) return one(out, a - 0x30, 2);
  return one(out, (((a & 7) << 6) | ((b & 7) << 3) | (c & 7)) & 0xff, 4);
}

/** `\u0041`, a pair of surrogates, or `\u{41}`. */
function readUnicode(text: Uint8Array, at: number, to: number, out: EscapeBytes): number {
  if (text[at + 2] === 0x7b) {
    let digits = 0;
    while (digits < 6 && at + 3 + digits < to && hexDigit(text[at + 3 + digits] ?? 0) >= 0) digits += 1;
    if (at + 3 + digits >= to) return CUT_ESCAPE;
    if (digits === 0 || text[at + 3 + digits] !== 0x7d) return one(out, 0x75, 2);
    return character(out, hexAt(text, at + 3, digits, to), digits + 4);
  }
  const unit = hexAt(text, at + 2, 4, to);
  if (unit === CUT_HEX) return CUT_ESCAPE;
  if (unit === NOT_HEX) return one(out, 0x75, 2);
  if (unit < 0xd800 || unit > 0xdbff) return character(out, unit, 6);
  if (at + 6 >= to) return CUT_ESCAPE;
  if (text[at + 6] !== BACKSLASH) return character(out, unit, 6);
  if (at + 7 >= to) return CUT_ESCAPE;
  const low = text[at + 7] === 0x75 ? hexAt(text, at + 8, 4, to) : NOT_HEX;
  if (low === CUT_HEX) return CUT_ESCAPE;
  if (low < 0xdc00 || low > 0xdfff) return character(out, unit, 6);
  return character(out, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), 12);
}

/** `%41`, and `%u0041` of old JavaScript. */
function readPercent(text: Uint8Array, at: number, to: number, out: EscapeBytes): number {
  if (at + 1 >= to) return CUT_ESCAPE;
  const isWide = text[at + 1] === 0x75;
  const value = isWide ? hexAt(text, at + 2, 4, to) : hexAt(text, at + 1, 2, to);
  if (value === CUT_HEX) return CUT_ESCAPE;
  if (value === NOT_HEX) return NO_ESCAPE;
  return isWide ? character(out, value, 6) : one(out, value, 3);
}

/** `&#65;`, `&#x41;` and `&amp;`. */
function readEntity(text: Uint8Array, at: number, to: number, out: EscapeBytes): number {
  if (at + 1 >= to) return CUT_ESCAPE;
  if (text[at + 1] === HASH) return readNumericEntity(text, at, to, out);
  const stop = Math.min(to, at + ENTITY_MAX_BYTES);
  let name = "";
  for (let i = at + 1; i < stop; i += 1) {
    const byte = text[i] ?? 0;
    if (byte === SEMICOLON) {
      const code = ENTITIES.get(name);
      return code === undefined ? NO_ESCAPE : character(out, code, i + 1 - at);
    }
    if (!isLetter(byte)) return NO_ESCAPE;
    name += String.fromCharCode(byte);
  }
  return stop === to && to < at + ENTITY_MAX_BYTES ? CUT_ESCAPE : NO_ESCAPE;
}

const NUMERIC_DIGITS_MAX = 8;

function readNumericEntity(text: Uint8Array, at: number, to: number, out: EscapeBytes): number {
  const isHex = text[at + 2] === 0x78 || text[at + 2] === 0x58;
  const first = at + (isHex ? 3 : 2);
  let code = 0;
  let i = first;
  for (; i < to && i - first < NUMERIC_DIGITS_MAX; i += 1) {
    const digit = hexDigit(text[i] ?? 0);
    if (digit < 0 || (!isHex && digit > 9)) break;
    code = code * (isHex ? 16 : 10) + digit;
  }
  if (i >= to) return CUT_ESCAPE;
  if (i === first || code > 0x10ffff) return NO_ESCAPE;
  return character(out, code, i - at + (text[i] === SEMICOLON ? 1 : 0));
}

/** A quote within quotes of a shell: `'\''` and `'"'"'`, and the same with the two kinds exchanged. */
function readQuoted(text: Uint8Array, at: number, to: number, out: EscapeBytes, quote: number, other: number): number {
  if (at + 1 >= to) return CUT_ESCAPE;
  const escaped = text[at + 1] === BACKSLASH ? [BACKSLASH, quote, quote] : [other, quote, other, quote];
  for (const [k, expected] of escaped.entries()) {
    if (at + 1 + k >= to) return CUT_ESCAPE;
    if (text[at + 1 + k] !== expected) return NO_ESCAPE;
  }
  return one(out, quote, escaped.length + 1);
}

function one(out: EscapeBytes, byte: number, length: number): number {
  out.bytes[0] = byte;
  out.length = 1;
  return length;
}

/** A code point as UTF-8. */
function character(out: EscapeBytes, code: number, length: number): number {
  const { bytes } = out;
  if (code < 0x80) return one(out, code, length);
  if (code < 0x800) {
    bytes[0] = 0xc0 | (code >> 6);
    bytes[1] = 0x80 | (code & 63);
    out.length = 2;
  } else if (code < 0x10000) {
    bytes[0] = 0xe0 | (code >> 12);
    bytes[1] = 0x80 | ((code >> 6) & 63);
    bytes[2] = 0x80 | (code & 63);
    out.length = 3;
  } else {
    bytes[0] = 0xf0 | (code >> 18);
    bytes[1] = 0x80 | ((code >> 12) & 63);
    bytes[2] = 0x80 | ((code >> 6) & 63);
    bytes[3] = 0x80 | (code & 63);
    out.length = 4;
  }
  return length;
}

const NOT_HEX = -1;
const CUT_HEX = -2;

function hexAt(text: Uint8Array, at: number, digits: number, to: number): number {
  let value = 0;
  for (let i = at; i < at + digits; i += 1) {
    if (i >= to) return CUT_HEX;
    const digit = hexDigit(text[i] ?? 0);
    if (digit < 0) return NOT_HEX;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function isOctal(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x37;
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}
