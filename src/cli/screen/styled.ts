/** Text with a style. The writer adds escape sequences after the text was made harmless. */
export interface Styled {
  readonly style: Style | null;
  readonly parts: readonly Text[];
}

/** Parts of a line. A plain string is untrusted and carries no style. */
export type Text = string | Styled;

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  reverse: [7, 27],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  /** Black on bright white. */
  paper: ["30;107", "39;49"],
} as const;

type Style = keyof typeof CODES;

const styled =
  (style: Style | null) =>
  (...parts: readonly Text[]): Styled => ({ style, parts });

export const bold = styled("bold");
export const dim = styled("dim");
export const reverse = styled("reverse");
export const red = styled("red");
export const green = styled("green");
export const yellow = styled("yellow");
export const cyan = styled("cyan");
export const onPaper = styled("paper");
/** Joins several texts. */
export const joined = styled(null);

/** Applies `clean` to each string, then adds styles where colour is on. */
export function rendered(text: Text, clean: (text: string) => string, hasColour: boolean): string {
  if (typeof text === "string") return clean(text);
  const inner = text.parts.map((part) => rendered(part, clean, hasColour)).join("");
  if (text.style === null || !hasColour) return inner;
  const [begin, end] = CODES[text.style];
  return `\u001b[${begin}m${inner}\u001b[${end}m`;
}
