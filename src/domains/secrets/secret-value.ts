import { COMMON_BEGINNINGS, COMMON_VALUES } from "./guessable-values.ts";

/** A shorter value would be found by chance in ordinary text, and a longer one is a file. */
export const SECRET_BYTES = { min: 8, max: 65_536 } as const;

const DIGITS_MIN = 16;
const LETTERS_MIN = 16;
const DIFFERENT_CHARS_MIN = 4;

export interface ValueFault {
  readonly reason: string;
  /** Never holds the value. */
  readonly says: string;
}

/**
 * Why a value cannot be a secret; null when it can. The redactor replaces a secret wherever it stands: a common word as a
 * value would tear holes into every text. `ownWords` are texts of the log that must stay readable.
 */
export function valueFault(value: string, ownWords: readonly string[]): ValueFault | null {
  const bytes = utf8Bytes(value);
  if (value === "") return { reason: "empty", says: "it is empty" };
  if (value.includes("\0")) return { reason: "nul", says: "it holds a NUL byte" };
  if (bytes < SECRET_BYTES.min) return { reason: "too_short", says: `it has fewer than ${SECRET_BYTES.min} bytes` };
  if (bytes > SECRET_BYTES.max) return { reason: "too_long", says: `it has more than ${SECRET_BYTES.max} bytes` };
  return commonFault(value.trim(), ownWords);
}

function commonFault(value: string, ownWords: readonly string[]): ValueFault | null {
  if (utf8Bytes(value) < SECRET_BYTES.min)
    return { reason: "too_short", says: `it has fewer than ${SECRET_BYTES.min} bytes beside white space` };
  if (new Set(value).size < DIFFERENT_CHARS_MIN)
    return { reason: "repeated", says: "it repeats a few characters, as ordinary text does" };
  if (/^[\d\s.,:_+-]+$/.test(value) && value.replace(/\D/g, "").length < DIGITS_MIN)
    return { reason: "number", says: `it is a number, a date or an address of fewer than ${DIGITS_MIN} digits` };
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/.test(value)) return { reason: "number", says: "it is a date" };
  if (/^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)$/.test(value) && value.length < LETTERS_MIN)
    return { reason: "word", says: `it looks like a word: letters only, fewer than ${LETTERS_MIN}` };
  if (isCommon(value)) return { reason: "common", says: "it is a common word or password" };
  if (/^[a-z]+:\/\/[a-z0-9.-]+(?::\d+)?\/?$/i.test(value))
    return { reason: "address", says: "it is an address without credentials" };
  if (ownWords.some((word) => word.includes(value)))
    return { reason: "own_word", says: "Nomos itself writes this text into its log" };
  return null;
}

/** `Password-123!` is as common as `password`. */
function isCommon(value: string): boolean {
  const plain = value.toLowerCase();
  const bare = plain.replace(/^[\W\d_]+|[\W\d_]+$/g, "");
  const letters = bare.replace(/[@4]/g, "a").replace(/[3]/g, "e").replace(/[1!]/g, "i").replace(/0/g, "o");
  const unleeted = letters.replace(/[$5]/g, "s");
  return [plain, bare, unleeted].some((one) => COMMON.has(one)) || COMMON_BEGINNINGS.includes(bare);
}

const COMMON: ReadonlySet<string> = new Set(COMMON_VALUES);

/** The length in UTF-8. This layer knows no encoder. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
