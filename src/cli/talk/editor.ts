import { widthOf } from "../print/screen-text.ts";
import { harmless } from "../screen/harmless.ts";
import type { Cursor } from "../screen/live-region.ts";

/** A text of several lines that a person edits. Positions lie between characters as a person sees them. */
export interface Editor {
  /** All that was typed and pasted. */
  readonly text: () => string;
  readonly isEmpty: () => boolean;
  /** The text before the cursor, in its line; a long paste counts as one character. */
  readonly before: () => string;
  readonly insert: (text: string) => void;
  /** A long paste is shown as one mark, and is sent in full. */
  readonly paste: (text: string) => void;
  /** Stands for a text, such as the path of a picture. */
  readonly stand: (text: string, shown: string) => void;
  readonly set: (text: string) => void;
  readonly cut: (what: Span) => void;
  readonly move: (to: Span | "up" | "down", columns: number) => boolean;
  /** Replaces this many characters of `before`, from its end. */
  readonly replaceBefore: (count: number, text: string) => void;
  /** Puts back what was cutOut last by line or word. */
  readonly yank: () => void;
  readonly layout: (columns: number) => { readonly rows: readonly string[]; readonly cursor: Cursor };
}

export type Span = "left" | "right" | "word-left" | "word-right" | "line-start" | "line-end" | "all";

const PASTE_LINES_SHOWN = 6;
const PASTE_CHARS_SHOWN = 600;
/** A character of this range stands for a paste. Typed ones become a mark too, so that none is taken for another's. */
const FIRST_MARK = 0xe000;
const LAST_MARK = 0xf8ff;
const MARKS = /[\ue000-\uf8ff]/g;

export function createEditor(): Editor {
  let cells: string[] = [];
  let at = 0;
  let cutOut: readonly string[] = [];
  const pastes: { readonly text: string; readonly shown: string }[] = [];
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

  const split = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);
  const mark = (text: string, shown: string): string => {
    if (FIRST_MARK + pastes.length > LAST_MARK) return "";
    pastes.push({ text, shown });
    return String.fromCharCode(FIRST_MARK + pastes.length - 1);
  };
  const marked = (text: string): string => text.replace(MARKS, (one) => mark(one, one));
  /** A typed accent or joiner belongs to the character before it, so both are split anew. */
  const put = (text: string): void => {
    const before = cells.slice(Math.max(0, at - 1), at);
    const added = split(before.join("") + text);
    cells = [...cells.slice(0, at - before.length), ...added, ...cells.slice(at)];
    at += added.length - before.length;
  };
  const whole = (some: readonly string[]): string => some.map((cell) => pasteOf(cell)?.text ?? cell).join("");
  const pasteOf = (cell: string) => (cell.length === 1 ? pastes[cell.charCodeAt(0) - FIRST_MARK] : undefined);

  const lineStart = (from: number): number => cells.lastIndexOf("\n", from - 1) + 1;
  const lineEnd = (from: number): number => {
    const end = cells.indexOf("\n", from);
    return end < 0 ? cells.length : end;
  };
  const isWord = (index: number): boolean => /[\p{L}\p{N}_]/u.test(cells[index] ?? "");
  const target = (to: Span): number => {
    let index = at;
    switch (to) {
      case "left":
        return Math.max(0, at - 1);
      case "right":
        return Math.min(cells.length, at + 1);
      case "line-start":
        return at === 0 ? 0 : lineStart(at);
      case "line-end":
        return lineEnd(at);
      case "all":
        return 0;
      case "word-left":
        while (index > 0 && !isWord(index - 1)) index -= 1;
        while (index > 0 && isWord(index - 1)) index -= 1;
        return index;
      case "word-right":
        while (index < cells.length && !isWord(index)) index += 1;
        while (index < cells.length && isWord(index)) index += 1;
        return index;
    }
  };
  const shown = (cell: string): string => pasteOf(cell)?.shown ?? harmless(cell);
  const paste = (text: string): void => {
    const lines = text.split("\n").length;
    const isLong = lines > PASTE_LINES_SHOWN || text.length > PASTE_CHARS_SHOWN;
    const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
    put(isLong ? mark(text, `[pasted ${size}]`) || text : marked(text));
  };
  const clear = (): void => {
    cells = [];
    at = 0;
    cutOut = [];
    pastes.length = 0;
  };

  return {
    text: () => whole(cells),
    isEmpty: () => cells.length === 0,
    before: () => cells.slice(lineStart(at), at).join(""),
    insert: (text) => put(marked(text)),
    paste,
    stand: (text, shownAs) => put(mark(text, shownAs) || text),
    set: (text) => {
      clear();
      paste(text);
    },
    cut: (what) => {
      const other = target(what);
      const [from, to] = what === "all" ? [0, cells.length] : [Math.min(at, other), Math.max(at, other)];
      if (what !== "left" && what !== "right" && to > from) cutOut = cells.slice(from, to);
      cells = [...cells.slice(0, from), ...cells.slice(to)];
      at = from;
    },
    move: (to, columns) => {
      const before = at;
      at = to === "up" || to === "down" ? vertical(rowsOf(cells, shown, columns), at, to) : target(to);
      return at !== before;
    },
    replaceBefore: (count, text) => {
      let from = at;
      for (let left = count; left > 0 && from > 0; from -= 1) left -= cells[from - 1]?.length ?? 1;
      cells = [...cells.slice(0, from), ...cells.slice(at)];
      at = from;
      put(marked(text));
    },
    yank: () => {
      cells = [...cells.slice(0, at), ...cutOut, ...cells.slice(at)];
      at += cutOut.length;
    },
    layout: (columns) => {
      const rows = rowsOf(cells, shown, columns);
      const row = rowAt(rows, at);
      const here = rows[row];
      const column = here === undefined ? 0 : widthOf(cells.slice(here.from, at).map(shown).join(""));
      return { rows: rows.map(({ text }) => text), cursor: { row, column } };
    },
  };
}

interface Row {
  readonly text: string;
  readonly from: number;
  /** One past the last cell that belongs to it, without its line feed. */
  readonly to: number;
}

/** Wraps between characters; a row is at most as wide as the screen, with room for the cursor. */
function rowsOf(cells: readonly string[], shown: (cell: string) => string, columns: number): readonly Row[] {
  const rows: Row[] = [];
  let [text, width, from] = ["", 0, 0];
  const end = (to: number, next: number): void => {
    rows.push({ text, from, to });
    [text, width, from] = ["", 0, next];
  };
  for (const [index, cell] of cells.entries()) {
    if (cell === "\n") {
      end(index, index + 1);
      continue;
    }
    const piece = shown(cell);
    const taken = widthOf(piece);
    if (width > 0 && width + taken > columns) end(index, index);
    text += piece;
    width += taken;
  }
  end(cells.length, cells.length);
  return rows;
}

function rowAt(rows: readonly Row[], at: number): number {
  const row = rows.findLastIndex(({ from }) => from <= at);
  return Math.max(0, row);
}

function vertical(rows: readonly Row[], at: number, to: "up" | "down"): number {
  const row = rowAt(rows, at);
  const here = rows[row];
  const there = rows[to === "up" ? row - 1 : row + 1];
  if (here === undefined || there === undefined) return at;
  return Math.min(there.from + (at - here.from), there.to);
}
