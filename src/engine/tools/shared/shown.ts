import { stripVTControlCharacters } from "node:util";

/** What one result may show. The loop cuts what is longer, so tools stay below and say how to go on. */
export const RESULT_CHARS_MAX = 50_000;

/**
 * A name as it may be shown: on one line, without anything that moves a cursor or turns the text around. A name that
 * needs it is written as a JSON string, which a model can copy into its next call.
 */
export function shownName(name: string): string {
  const isPlain = !HIDDEN.test(name) && name !== "" && name.trim() === name && !name.startsWith('"');
  return isPlain ? name : `"${escaped(name.replace(/["\\]/g, "\\$&"))}"`;
}

/** A text of several lines: line ends and tabs stay, other control characters are escaped. */
export function shownText(text: string): string {
  return HIDDEN_BUT_LINES.test(text) ? text.replaceAll(new RegExp(HIDDEN_BUT_LINES, "gu"), spelled) : text;
}

/** What a program printed, as a terminal would show it: no colours, and of a progress bar the last state. */
export function shownOutput(text: string): string {
  const plain = stripVTControlCharacters(text).replaceAll("\r\n", "\n");
  return shownText(plain.includes("\r") ? plain.split("\n").map(lastState).join("\n") : plain);
}

/** A carriage return begins the line anew. */
function lastState(line: string): string {
  const states = line.split("\r");
  return states.findLast((state) => state !== "") ?? "";
}

/** One line for people. */
export function oneLine(text: string, charsMax = TITLE_CHARS_MAX): string {
  const line = escaped(text.replaceAll(/\s+/g, " ").trim());
  return cutChars(line, charsMax);
}

/** Cuts without halving a surrogate pair. */
export function cutChars(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${wholeChars(text.slice(0, charsMax - 1))}…`;
}

/** Half of a key is not recognised as one, so a cut leaves out the word that it would cut. */
export function cutBetweenWords(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const kept = text.slice(0, charsMax - 1);
  const word = /[^\s"'`,;()]{0,1000}$/.exec(kept)?.[0] ?? "";
  return `${wholeChars(kept.slice(0, kept.length - word.length))}…`;
}

export function wholeChars(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

export function shownBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const TITLE_CHARS_MAX = 120;

/** Control characters, line separators, and the marks that reverse or hide text. */
const HIDDEN =
  /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/u;
const HIDDEN_BUT_LINES = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Cs}/u;

function escaped(text: string): string {
  return HIDDEN.test(text) ? text.replaceAll(new RegExp(HIDDEN, "gu"), spelled) : text;
}

function spelled(char: string): string {
  const known = SHORT[char];
  if (known !== undefined) return known;
  return [...Array(char.length).keys()]
    .map((index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
