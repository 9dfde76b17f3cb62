import { crc32 } from "node:zlib";

/** Bits a character: random text of 20 to 40 characters has more, words and examples have less. */
const RANDOM_MIN_BITS = 3;

/** What a key that a machine made looks like: many different characters, and no example of a manual. */
export function looksRandom(secret: string): boolean {
  return entropyBits(secret) >= RANDOM_MIN_BITS && !isExample(secret);
}

/** GitHub and npm: the last six characters are the CRC-32 of those after the prefix, in base 62. */
export function hasCrcInBase62(secret: string): boolean {
  const body = secret.slice(secret.indexOf("_") + 1);
  const sum = body.slice(-CHECKSUM_CHARS);
  return spellBase62(crc32(body.slice(0, -CHECKSUM_CHARS)), CHECKSUM_CHARS) === sum && !isExample(secret);
}

/** Stricter, for what has no form of its own: letters and digits in such disorder that nobody would write it. */
export function isMachineMade(secret: string): boolean {
  if (isExample(secret) || !/[0-9]/.test(secret) || !/[A-Za-z]/.test(secret)) return false;
  const isHex = /^[0-9a-f-]+$/i.test(secret);
  if (!isHex && hasWord(secret)) return false;
  return entropyBits(secret) >= (isHex ? HEX_MIN_BITS : MACHINE_MIN_BITS) && changesOfKind(secret) * 6 >= secret.length;
}

/** After a beginning that is the same for all of its kind. */
export function looksRandomAfter(chars: number): (secret: string) => boolean {
  return (secret) => looksRandom(secret.slice(chars));
}

/** A password within a URL: no variable, no word that stands for one. */
export function isPassword(secret: string): boolean {
  if (isExample(secret) || /[${}]|pass|secret|admin|user|root|test|localhost/i.test(secret)) return false;
  return new Set(secret).size >= PASSWORD_MIN_CHARACTERS && /[0-9]/.test(secret) && /[^0-9]/.test(secret);
}

/** A token of three parts whose first is JSON that names an algorithm. */
export function isJsonWebToken(secret: string): boolean {
  const [header = ""] = secret.split(".");
  return /"(alg|typ|enc|kid)"\s*:/.test(Buffer.from(header, "base64url").toString("latin1"));
}

/** Shannon's entropy of the characters, in bits a character. */
function entropyBits(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** What manuals print: words, a run of the alphabet or of digits, one character again and again. */
function isExample(secret: string): boolean {
  return EXAMPLE_WORDS.test(secret) || hasLongRun(secret);
}

const MACHINE_MIN_BITS = 3.4;
const HEX_MIN_BITS = 2.9;
const PASSWORD_MIN_CHARACTERS = 6;

/** Six small letters in a row are a word of a name, unless digits are all around. */
function hasWord(secret: string): boolean {
  return /[a-z]{6}/.test(secret) && (secret.match(/[0-9]/g)?.length ?? 0) < WORD_DIGITS_MAX;
}

const WORD_DIGITS_MAX = 4;

/** How often a letter follows a digit, or a digit a letter, or the case changes. */
function changesOfKind(secret: string): number {
  const kinds = [...secret].map((one) => (/[0-9]/.test(one) ? 0 : /[a-z]/.test(one) ? 1 : /[A-Z]/.test(one) ? 2 : 3));
  return kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length;
}

const CHECKSUM_CHARS = 6;
const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const EXAMPLE_WORDS =
  /example|sample|placeholder|dummy|changeme|redacted|x{5}|your[-_]|1234567|abcdefg|deadbeef|not[-_]a[-_]/i;
const RUN_MAX_CHARS = 6;

/** The same character, or its neighbours in order, more often than chance has it. */
function hasLongRun(secret: string): boolean {
  let same = 1;
  for (let i = 1; i < secret.length; i += 1) {
    same = secret[i] === secret[i - 1] ? same + 1 : 1;
    if (same >= RUN_MAX_CHARS) return true;
  }
  return false;
}

function spellBase62(value: number, digits: number): string {
  let rest = value;
  let text = "";
  for (let i = 0; i < digits; i += 1) {
    text = (BASE_62[rest % 62] ?? "") + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
