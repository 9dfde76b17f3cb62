import { codeOf } from "./marked-characters.ts";

export interface LookAlike {
  /** Where the word starts, and where it ends. */
  readonly from: number;
  readonly to: number;
  /** Which of its letters are not what they seem, for people: `Cyrillic р (U+0440) looks like p`. */
  readonly says: string;
}

/** Letters named in the words for one look-alike; a longer word is told by its first ones. */
const NAMED_MAX = 4;

/**
 * The words of a command, path or question that can be taken for other words: letters of several scripts in one word, whole
 * words of foreign letters that look Latin, and compatibility letters such as fullwidth or mathematical ones.
 */
export function findLookAlikes(text: string): readonly LookAlike[] {
  if (IS_ASCII.test(text)) return [];
  const isLatinText = count(text, /\p{Script=Latin}/gu) >= count(text, /(?!\p{Script=Latin})\p{L}/gu);
  const found: LookAlike[] = [];
  for (const { 0: part, index: start } of text.matchAll(/\S+/gu)) {
    if (IS_ASCII.test(part)) continue;
    const isNearLatin = isLatinText || /[a-z]/i.test(part);
    for (const { 0: word, index } of part.matchAll(WORD)) {
      const says = judge(word, isNearLatin);
      if (says !== null) found.push({ from: start + index, to: start + index + word.length, says });
    }
  }
  return found;
}

const IS_ASCII = /^[^\u0080-\u{10ffff}]*$/u;
/** A word, or one sign that looks like ASCII punctuation. */
const WORD =
  /[\p{L}\p{M}\p{N}_]+|[\u037e\u2024\u2044\u2215\u2216\u2217\u2223\u2236\u29f5\u29f8\u29f9\ua789\ufe50-\ufe6b\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff5e]/gu;

function judge(word: string, isNearLatin: boolean): string | null {
  if (IS_ASCII.test(word)) return null;
  const odd = [...word].filter((letter) => isOdd(letter));
  const scripts = new Set([...word].map(scriptOf).filter((script) => script !== null));
  const foreign = [...scripts].filter((script) => script !== "Latin");
  if (scripts.has("Latin") && foreign.length > 0)
    return said(`mixes Latin and ${foreign.join(", ")}`, word, (letter) => isForeign(letter) || isOdd(letter));
  // Greek and Cyrillic have letters of one shape too; no language mixes them in a word.
  if (foreign.length > 1) return said(`mixes ${foreign.join(", ")}`, word, (letter) => TWINS.has(letter));
  if (odd.length > 0) return said("", word, isOdd);
  const letters = [...word].filter((letter) => /\p{L}/u.test(letter));
  const isTwin = letters.length > 0 && foreign.length > 0 && letters.every((letter) => TWINS.has(letter));
  return isTwin && isNearLatin ? said("", word, (letter) => TWINS.has(letter)) : null;
}

function said(start: string, word: string, concerns: (letter: string) => boolean): string {
  const letters = [...new Set([...word].filter((letter) => /[^\p{M}]/u.test(letter) && concerns(letter)))];
  const named = letters.slice(0, NAMED_MAX).map(letterWords);
  if (letters.length > NAMED_MAX) named.push(`${letters.length - NAMED_MAX} more`);
  return [start, named.join(", ")].filter((part) => part !== "").join(": ");
}

function letterWords(letter: string): string {
  const twin = TWINS.get(letter) ?? plainForm(letter);
  const script = scriptOf(letter);
  const what = isForeign(letter) ? `${script} ${letter}` : letter;
  return `${what} (${codeOf(letter.codePointAt(0) ?? 0)})${twin === null ? "" : ` looks like ${twin}`}`;
}

/** A letter or sign that is only another form of an ASCII one. */
function isOdd(letter: string): boolean {
  return plainForm(letter) !== null || (scriptOf(letter) === "Latin" && TWINS.has(letter)) || SIGNS.has(letter);
}

function plainForm(letter: string): string | null {
  if (SIGNS.has(letter)) return SIGNS.get(letter) ?? null;
  // Exponents, ordinals and emoji are read as such.
  if (/[\0-\x7f\u00aa\u00b2\u00b3\u00b9\u00ba\p{Extended_Pictographic}]/u.test(letter)) return null;
  const plain = letter.normalize("NFKC");
  return plain !== letter && /^[!-~]$/.test(plain) ? plain : null;
}

function scriptOf(letter: string): string | null {
  if (/[a-z]/i.test(letter)) return "Latin";
  if (!/\p{L}/u.test(letter)) return null;
  return SCRIPTS.find(([, pattern]) => pattern.test(letter))?.[0] ?? null;
}

function isForeign(letter: string): boolean {
  const script = scriptOf(letter);
  return script !== null && script !== "Latin";
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
}

/** Latin, and the scripts with letters that look Latin. Others may stand in one word with Latin: nobody takes them for it. */
const SCRIPTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Coptic", /\p{Script=Coptic}/u],
  ["Lisu", /\p{Script=Lisu}/u],
];

/** Signs that pass for ASCII ones, in paths and addresses above all. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ...pairs("\u2044\u2215\u29f8", "///"),
  ...pairs("\u2216\u29f5\u29f9", "\\\\\\"),
  ...pairs("\u2024\u037e\u2236\ua789\u2217\u2223\u01c0\u01c3", ".;::*||!"),
]);

/** Letters of other scripts, and rare Latin ones, that look like a letter of ASCII. */
const TWINS: ReadonlyMap<string, string> = new Map([
  ...pairs("аеорсухѕіјԛԝһԁӏкмтвнгьпз", "aeopcyxsijqwhdlkmtbhrbn3"),
  ...pairs("АВЕКМНОРСТУХЅІЈԚԜҺЬЗ", "ABEKMHOPCTYXSIJQWhb3"),
  ...pairs("οναρικυτχγωησβ", "ovapikutxywnob"),
  ...pairs("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
  ...pairs("օոսհցյզաոքլ", "onuhgjqwnpl"),
  ...pairs("ՕՍՏԼ", "OUSL"),
  ...pairs("ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᏀᏃᏎᏒᏔᏙᏚᏞᏟᏢᏦᏩᏴ", "DRTiAJEWMHGZ4RWVSLCPKGB"),
  ...pairs("ⲟⲣⲥⲭⲓ", "opcxi"),
  ...pairs("ꓐꓑꓓꓔꓖꓗꓙꓚꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴꓜ", "BPDTGKJCFMNLSRVHWXYAEIOUZ"),
  ...pairs("ɑɡɩʟꞁ", "agiLl"),
]);

function pairs(foreign: string, plain: string): readonly (readonly [string, string])[] {
  const signs = [...plain];
  return [...foreign].map((letter, at) => [letter, signs[at] ?? ""] as const);
}
