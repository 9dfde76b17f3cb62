/** A piece of a line, and what it is in its language: `keyword`, `string`. The empty word: nothing in particular. */
export type Piece = readonly [kind: string, text: string];
/** The pieces of a line joined are the line. */
export type CodeLine = readonly Piece[];

/** A longer text is shown without colours. */
const HIGHLIGHT_CHARS_MAX = 102_400;
/** A longer line too: nobody reads a minified file, and its pieces would be thousands of elements. */
export const HIGHLIGHT_LINE_CHARS_MAX = 2_000;

export function mayHighlight(text: string): boolean {
  return text.length <= HIGHLIGHT_CHARS_MAX;
}

export function plainLines(text: string): readonly CodeLine[] {
  return text.split("\n").map((line) => [["", line]]);
}
