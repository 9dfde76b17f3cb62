import { GAP_MAX_BYTES } from "../limits.ts";

/** The text ends while everything has fitted so far. */
export const RAN_OUT = -1;

export type Form = "plain" | "base64" | "hex";

/** The bytes to be found, in the form in which they are written. */
export interface Needle {
  readonly bytes: Uint8Array;
  readonly form: Form;
  /** base64: bits of the first byte that belong to a character before. */
  readonly skippedBits: number;
}

/** Compares a needle with the text at `at`: answers where it ends in the text, `RAN_OUT`, or `differsAt(place)`. */
export function compareAt(needle: Needle, text: Uint8Array, at: number, to: number, isFinal: boolean): number {
  switch (needle.form) {
    case "plain":
      return comparePlain(needle.bytes, text, at, to);
    case "base64":
      return compareBase64(needle, text, at, to, isFinal);
    case "hex":
      return compareHex(needle.bytes, text, at, to);
  }
}

/** The answer of a comparison that found a difference at this place; the same function gives the place back. */
export function differsAt(place: number): number {
  return -2 - place;
}

/** White space counts for nothing on either side: a value is found with other line ends, another indent, or wrapped. */
function comparePlain(value: Uint8Array, text: Uint8Array, from: number, to: number): number {
  let at = from;
  let gap = 0;
  for (let i = 0; i < value.length; ) {
    const expected = value[i] ?? 0;
    if (at >= to) return RAN_OUT;
    const found = text[at] ?? 0;
    if (found === expected) {
      at += 1;
      i += 1;
      gap = 0;
    } else if (isSpace(expected)) {
      if (found === PLUS) at += 1;
      i += 1;
    } else if (i > 0 && (isSpace(found) || isDoubledQuote(found, text[at - 1])) && gap < GAP_MAX_BYTES) {
      at += 1;
      gap += 1;
    } else return differsAt(at);
  }
  return at;
}

function compareBase64(
  { bytes, skippedBits }: Needle,
  text: Uint8Array,
  from: number,
  to: number,
  isFinal: boolean,
): number {
  const bits = bytes.length * 8;
  let at = from;
  let gap = 0;
  for (let bit = skippedBits; bit + 6 <= bits; ) {
    if (at >= to) return RAN_OUT;
    const found = text[at] ?? 0;
    if (base64Digit(found) === sextetAt(bytes, bit)) {
      bit += 6;
      gap = 0;
    } else if (bit > skippedBits && isSpace(found) && gap < GAP_MAX_BYTES) gap += 1;
    else return differsAt(at);
    at += 1;
  }
  const hasRest = (bits - skippedBits) % 6 > 0;
  if (hasRest && at >= to && !isFinal) return RAN_OUT;
  if (hasRest && at < to && base64Digit(text[at] ?? 0) >= 0) at += 1;
  return at;
}

function compareHex(bytes: Uint8Array, text: Uint8Array, from: number, to: number): number {
  let at = from;
  let gap = 0;
  for (let digit = 0; digit < bytes.length * 2; ) {
    if (at >= to) return RAN_OUT;
    const found = text[at] ?? 0;
    const byte = bytes[digit >> 1] ?? 0;
    if (hexValue(found) === ((digit & 1) === 0 ? byte >> 4 : byte & 15)) {
      digit += 1;
      gap = 0;
    } else if (digit > 0 && isHexSeparator(found) && gap < GAP_MAX_BYTES) gap += 1;
    else return differsAt(at);
    at += 1;
  }
  return at;
}

/** Six bits of the bytes, from a bit that need not begin a byte. */
export function sextetAt(bytes: Uint8Array, bit: number): number {
  const first = bytes[bit >> 3] ?? 0;
  const second = bytes[(bit >> 3) + 1] ?? 0;
  return (((first << 8) | second) >> (10 - (bit & 7))) & 63;
}

/** Both alphabets: `+` and `-` are one digit, `/` and `_` another. */
function base64Digit(byte: number): number {
  if (byte >= 0x41 && byte <= 0x5a) return byte - 0x41;
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x47;
  if (byte >= 0x30 && byte <= 0x39) return byte + 4;
  if (byte === PLUS || byte === 0x2d) return 62;
  if (byte === 0x2f || byte === 0x5f) return 63;
  return -1;
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

export function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function isHexSeparator(byte: number): boolean {
  return isSpace(byte) || byte === 0x3a || byte === 0x2d || byte === 0x2c;
}

/** CSV and SQL write a quote twice. */
function isDoubledQuote(found: number, before: number | undefined): boolean {
  return (found === 0x22 || found === 0x27) && before === found;
}

const PLUS = 0x2b;
