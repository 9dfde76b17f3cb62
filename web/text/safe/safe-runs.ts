import { findLookAlikes } from "./look-alikes.ts";
import { characterName, kindOf, type MarkKind } from "./marked-characters.ts";

export interface Run {
  /** Exactly as in the input: all runs joined are the input. */
  readonly text: string;
  /** Null: shown as it is. */
  readonly mark: Mark | null;
}

export interface Mark {
  readonly kind: MarkKind;
  /** For people and screen readers: `U+202E right-to-left override`. */
  readonly name: string;
}

export interface SafeOptions {
  /** For commands, paths and questions: look-alikes, unusual spaces and carriage returns are marked too. */
  readonly strict?: boolean;
}

/** Names in one box; a longer sequence of marked characters is told by its first ones. */
const NAMED_MAX = 3;

/** Splits a hostile text into runs that can be shown and runs that have to be named. Loses and moves nothing. */
export function safeRuns(text: string, { strict = false }: SafeOptions = {}): readonly Run[] {
  const runs: Run[] = [];
  let at = 0;
  for (const found of text.matchAll(strict ? MARKED_STRICTLY : MARKED)) {
    pushPlain(runs, text.slice(at, found.index), strict);
    runs.push({ text: found[0], mark: markOf(found[0]) });
    at = found.index + found[0].length;
  }
  pushPlain(runs, text.slice(at), strict);
  return runs;
}

/** Whether all of the text can be shown as it is. */
export function isPlain(text: string, { strict = false }: SafeOptions = {}): boolean {
  if (PRINTABLE_ASCII.test(text)) return true;
  if (text.search(strict ? MARKED_STRICTLY : MARKED) !== -1) return false;
  return !strict || findLookAlikes(text).length === 0;
}

/** The text with a replacement sign for each marked sequence: for titles, tooltips and other places without elements. */
export function safeString(text: string, options: SafeOptions = {}): string {
  if (isPlain(text, options)) return text;
  return safeRuns(text, options)
    .map(({ text: run, mark }) => (mark === null || mark.kind === "look-alike" ? run : "\u25af"))
    .join("");
}

function pushPlain(runs: Run[], text: string, strict: boolean): void {
  let at = 0;
  for (const { from, to, says } of strict ? findLookAlikes(text) : []) {
    if (from > at) runs.push({ text: text.slice(at, from), mark: null });
    runs.push({ text: text.slice(from, to), mark: { kind: "look-alike", name: says } });
    at = to;
  }
  if (at < text.length) runs.push({ text: text.slice(at), mark: null });
}

function markOf(text: string): Mark {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  if (/^\p{M}/u.test(first) && !/^\p{Default_Ignorable_Code_Point}/u.test(first))
    return { kind: "piled", name: `${[...text].length} piled up combining marks` };
  if (/^[\u{e0020}-\u{e007e}]{2,}/u.test(text)) return { kind: "hidden", name: spelled(text) };
  const names: string[] = [];
  let [last, times, more] = ["", 0, 0];
  const close = (): void => {
    if (times > 0) names.push(times > 1 ? `${characterName(last)} \u00d7${times}` : characterName(last));
  };
  for (const character of text) {
    if (character === last) times += 1;
    else if (names.length >= NAMED_MAX) more += 1;
    else {
      close();
      [last, times] = [character, 1];
    }
  }
  if (names.length < NAMED_MAX) close();
  else more += times;
  return { kind: kindOf(first), name: more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ") };
}

/** The tag block repeats ASCII: what is spelled in it can be told. */
function spelled(text: string): string {
  const letters = [...text].map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) & 0x7f));
  const said = letters.filter((letter) => /[ -~]/.test(letter)).join("");
  const shown = said.length > SPELLED_MAX ? `${said.slice(0, SPELLED_MAX)}…` : said;
  return `${letters.length} invisible tag characters: “${shown}”`;
}

const SPELLED_MAX = 120;

const PRINTABLE_ASCII = /^[\t\n\x20-\x7e]*$/;

/**
 * Languages stack up to four marks on a letter; hundreds would paint over the lines above. A mark at the start would change
 * the character before the text, which may be ours.
 */
const PILED = "(?<=[\\p{Mn}\\p{Me}]{4})[\\p{Mn}\\p{Me}]+|^[\\p{Mn}\\p{Me}]+";
/** A joiner between two emoji, the selector that makes one, and the joiners that some scripts need to be spelled. */
const KEPT = [
  "(?!(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic}))",
  "(?!(?<=[\\p{Extended_Pictographic}])\\ufe0f)",
].join("");
const KEPT_IN_PROSE = [
  "(?!(?<=[#*0-9])\\ufe0f\\u20e3)",
  "(?!\\r\\n)",
  "(?!(?<=[\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Tamil}\\p{Script=Gujarati}\\p{Script=Myanmar}\\p{Script=Khmer}])[\\u200c\\u200d](?=\\p{L}))",
].join("");
const UNSEEN =
  "\\p{Cc}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}\\u180e\\ufff9-\\ufffb";
const ODD_SPACES = "\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\u2800";

const MARKED = new RegExp(`(?:(?![\\t\\n])${KEPT}${KEPT_IN_PROSE}[${UNSEEN}])+|${PILED}`, "gu");
const MARKED_STRICTLY = new RegExp(`(?:(?![\\t\\n])${KEPT}[${UNSEEN}${ODD_SPACES}])+|${PILED}`, "gu");
