/** Spaces that a tab becomes on a screen. */
const TAB = "    ";

/**
 * Text of an agent, a file or another user must not control the terminal: control and invisible characters
 * are shown as symbols. Line feeds stay; callers that print one line replace them (`inOneLine`).
 */
export function harmless(text: string): string {
  return withoutTabs(keepingTabs(text));
}

/** The same for a pipe: tabs stay, because programs split lines at them. */
export function keepingTabs(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(HIDDEN, sign)
    .replace(MARKS_PILED, (_all, kept: string) => `${kept}${UNKNOWN}`)
    .replace(MARK_FIRST, `${DOTTED_CIRCLE}$&`);
}

function withoutTabs(text: string): string {
  return text.replaceAll("\t", TAB);
}

/** A line feed would start a line that looks like ours. Uses split, so that a megabyte of blanks takes one pass. */
export function inOneLine(text: string): string {
  const lines = text.split("\n");
  if (lines.length === 1) return text;
  const last = lines.length - 1;
  const trimmed = lines.map((line, at) => (at === 0 ? line.trimEnd() : at === last ? line.trimStart() : line.trim()));
  return trimmed.filter((line, at) => line !== "" || at === 0 || at === last).join(" ⏎ ");
}

/** Escapes control and invisible characters as JSON does: the same value for a program, safe to display. */
export function harmlessJson(json: string): string {
  return json
    .replace(UNSAFE_IN_JSON, escaped)
    .replace(MARKS_PILED, (pile, kept: string) => `${kept}${escaped(pile.slice(kept.length))}`);
}

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/**
 * Controls (C0 without tab and line feed, DEL, C1), direction marks, characters without width (joiners, tags, variation
 * selectors, fillers), line and paragraph separators, and lone surrogates. Kept: joiners between two emoji, and the selector
 * that makes a character an emoji.
 */
const HIDDEN =
  /(?![\t\n])(?!(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic}))(?!(?<=\p{Emoji})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Line feeds between the tokens of a JSON text stay. */
const UNSAFE_IN_JSON = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Languages stack up to four marks on a letter; hundreds would paint over the lines above. */
const MARKS_PILED = /([\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]+/gu;
/** A combining mark at the start would change the character before it, which may be ours. */
const MARK_FIRST = /^[\p{Mn}\p{Me}]/u;

const CONTROL_PICTURES = 0x2400;
const DELETE_PICTURE = "\u2421";
const UNKNOWN = "\ufffd";
const DOTTED_CIRCLE = "\u25cc";

function sign(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(CONTROL_PICTURES + code);
  return code === 0x7f ? DELETE_PICTURE : UNKNOWN;
}
