/**
 * Columns that a text takes: wide characters take two, combining ones none. Where terminals differ, the larger number is
 * used: a line may end early but never wraps.
 */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

const MARK = /^[\p{Mn}\p{Me}\u200d]$/u;
/** The selector U+FE0F widens the character before it, so it counts as one column. */
const SELECTOR = "\ufe0f";
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1b000}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

function columnsOf(character: string): number {
  if (character === SELECTOR) return 1;
  return MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** Wraps text at word boundaries to this many columns; indentation is kept. */
export function wrap(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(10, columns)));
}

function wrapLine(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const indent = /^\s*(?:[-*•]\s+)?/.exec(line)?.[0].length ?? 0;
  const hanging = " ".repeat(Math.min(indent, Math.floor(columns / 2)));
  const lines: string[] = [];
  let current = "";
  let width = 0;
  const add = (text: string, columnsOfIt: number): void => {
    current += text;
    width += columnsOfIt;
  };
  const begin = (text: string): void => {
    current = text;
    width = text.length;
  };
  for (const word of line.match(/\s+|\S+/g) ?? []) {
    const wide = widthOf(word);
    if (width + wide <= columns) {
      add(word, wide);
      continue;
    }
    if (current.trim() !== "") {
      lines.push(current.trimEnd());
      begin(hanging);
    }
    if (/^\s/.test(word)) continue;
    for (const character of word) {
      const taken = columnsOf(character);
      if (width + taken > columns) {
        lines.push(current);
        begin(hanging);
      }
      add(character, taken);
    }
  }
  return current.trim() === "" ? lines : [...lines, current.trimEnd()];
}

/** Cuts text to a width and marks the cut. */
export function cutTo(text: string, columns: number): string {
  let kept = "";
  let width = 0;
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns) return `${shortened(kept, columns - 1)}…`;
    kept += character;
  }
  return kept;
}

function shortened(text: string, columns: number): string {
  let kept = "";
  let width = 0;
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns) break;
    kept += character;
  }
  return kept;
}
