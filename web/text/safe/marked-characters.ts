/** Why a character is marked instead of shown as it is. */
export type MarkKind =
  | "control"
  | "direction"
  | "hidden"
  | "separator"
  | "private"
  | "surrogate"
  | "unassigned"
  | "piled"
  | "space"
  | "look-alike";

/** `U+202E right-to-left override`. */
export function characterName(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `${codeOf(code)} ${wordsFor(code, character)}`;
}

export function codeOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

export function kindOf(character: string): MarkKind {
  if (/\p{Cs}/u.test(character)) return "surrogate";
  if (/\p{Cc}/u.test(character)) return "control";
  if (/\p{Bidi_Control}/u.test(character)) return "direction";
  if (/[\p{Zl}\p{Zp}]/u.test(character)) return "separator";
  if (/\p{Co}/u.test(character)) return "private";
  if (/[\p{Zs}\u2800]/u.test(character)) return "space";
  if (/[\p{Default_Ignorable_Code_Point}\p{Cf}]/u.test(character)) return "hidden";
  return "unassigned";
}

function wordsFor(code: number, character: string): string {
  const known = NAMES.get(code);
  if (known !== undefined) return known;
  if (code < 0x20) return CONTROLS[code] ?? "control character";
  // The tag block repeats ASCII: a text can be spelled in it that nobody sees.
  if (code >= 0xe0020 && code <= 0xe007e) return `tag "${String.fromCodePoint(code - 0xe0000)}"`;
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return "variation selector";
  return KIND_WORDS[kindOf(character)];
}

const KIND_WORDS: Readonly<Record<MarkKind, string>> = {
  control: "control character",
  direction: "direction control",
  hidden: "invisible character",
  separator: "line separator",
  private: "private use character",
  surrogate: "lone surrogate",
  unassigned: "unassigned character",
  piled: "piled up marks",
  space: "unusual space",
  "look-alike": "look-alike",
};

const CONTROLS: readonly string[] = [
  ...["null", "start of heading", "start of text", "end of text", "end of transmission", "enquiry", "acknowledge"],
  ...["bell", "backspace", "tab", "line feed", "vertical tab", "form feed", "carriage return", "shift out", "shift in"],
  ...["data link escape", "device control one", "device control two", "device control three", "device control four"],
  ...["negative acknowledge", "synchronous idle", "end of transmission block", "cancel", "end of medium"],
  ...["substitute", "escape", "file separator", "group separator", "record separator", "unit separator"],
];

const NAMES: ReadonlyMap<number, string> = new Map([
  [0x7f, "delete"],
  [0x85, "next line"],
  [0x90, "device control string"],
  [0x9b, "control sequence introducer"],
  [0x9c, "string terminator"],
  [0x9d, "operating system command"],
  [0xa0, "no-break space"],
  [0xad, "soft hyphen"],
  [0x034f, "combining grapheme joiner"],
  [0x061c, "Arabic letter mark"],
  [0x115f, "Hangul filler"],
  [0x1160, "Hangul filler"],
  [0x180e, "Mongolian vowel separator"],
  [0x200b, "zero width space"],
  [0x200c, "zero width non-joiner"],
  [0x200d, "zero width joiner"],
  [0x200e, "left-to-right mark"],
  [0x200f, "right-to-left mark"],
  [0x2028, "line separator"],
  [0x2029, "paragraph separator"],
  [0x202a, "left-to-right embedding"],
  [0x202b, "right-to-left embedding"],
  [0x202c, "pop directional formatting"],
  [0x202d, "left-to-right override"],
  [0x202e, "right-to-left override"],
  [0x202f, "narrow no-break space"],
  [0x2060, "word joiner"],
  [0x2061, "function application"],
  [0x2062, "invisible times"],
  [0x2063, "invisible separator"],
  [0x2064, "invisible plus"],
  [0x2066, "left-to-right isolate"],
  [0x2067, "right-to-left isolate"],
  [0x2068, "first strong isolate"],
  [0x2069, "pop directional isolate"],
  [0x2800, "blank Braille pattern"],
  [0x3000, "ideographic space"],
  [0x3164, "Hangul filler"],
  [0xfeff, "zero width no-break space"],
  [0xffa0, "halfwidth Hangul filler"],
  [0xfff9, "interlinear annotation anchor"],
  [0xfffa, "interlinear annotation separator"],
  [0xfffb, "interlinear annotation terminator"],
  [0xe0001, "language tag"],
  [0xe007f, "cancel tag"],
]);
