import { type AnsiStyle, PLAIN_STYLE, styleAfter } from "./ansi-style.ts";

export interface AnsiSpan {
  readonly text: string;
  readonly style: AnsiStyle;
}

export interface AnsiLine {
  readonly spans: readonly AnsiSpan[];
}

export interface AnsiReader {
  /** Takes the next part of the output; an escape may be cut anywhere. */
  readonly write: (text: string) => void;
  /** The lines kept so far, the unfinished one last. A finished line keeps its identity. */
  readonly lines: () => readonly AnsiLine[];
  /** Lines that were dropped from the start. */
  readonly dropped: () => number;
}

export interface AnsiLimits {
  /** The last ones are kept. */
  readonly linesMax: number;
  /** A longer line goes on in the next one. */
  readonly columnsMax: number;
}

const LIMITS: AnsiLimits = { linesMax: 10_000, columnsMax: 4096 };
/** An unfinished escape ends here, so that it cannot swallow the rest of the output. */
const ESCAPE_CHARS_MAX = 65_536;
const PARAMETER_CHARS_MAX = 256;

/** Where the reader is in an escape. `string`: OSC, DCS and their kind, up to BEL or ST. */
type At = "text" | "escape" | "charset" | "csi" | "string" | "string-escape";

/** Reads terminal output: colours and attributes, overwriting of the current line. Every other escape is dropped. */
export function createAnsiReader({ linesMax, columnsMax }: AnsiLimits = LIMITS): AnsiReader {
  let done: AnsiLine[] = [];
  let droppedLines = 0;
  let cells: string[] = [];
  let styles: AnsiStyle[] = [];
  let column = 0;
  let style = PLAIN_STYLE;
  let at: At = "text";
  let parameters = "";
  let escapeChars = 0;

  const endLine = (): void => {
    done.push(lineOf(cells, styles));
    [cells, styles, column] = [[], [], 0];
    // Dropping in portions keeps the cost of each line constant.
    if (done.length <= linesMax * 2) return;
    droppedLines += done.length - linesMax;
    done = done.slice(-linesMax);
  };
  const put = (character: string): void => {
    if (column >= columnsMax) endLine();
    cells[column] = character;
    styles[column] = style;
    column += 1;
  };
  const control = (character: string): void => {
    if (character === "\n") endLine();
    else if (character === "\r") column = 0;
    else if (character === "\b") column = Math.max(0, column - 1);
    else if (character === "\t") put(character);
    else if (character === "\x1b") at = "escape";
    else if (character === "\x9b") at = "csi";
    else if ("\x90\x98\x9d\x9e\x9f".includes(character)) at = "string";
    [parameters, escapeChars] = ["", 0];
  };
  const endCsi = (final: string): void => {
    at = "text";
    if (final === "m" && /^[\d;:]*$/.test(parameters)) style = styleAfter(style, parameters);
    if (final !== "K" || !/^[02]?$/.test(parameters)) return;
    if (parameters === "2") column = 0;
    cells.length = Math.min(cells.length, column);
    styles.length = cells.length;
  };
  const inEscape = (character: string): void => {
    escapeChars += 1;
    const end = stepOf(at, character, escapeChars);
    if (end === "csi-end") endCsi(character);
    else if (end === "text-again") {
      at = "text";
      control(character);
    } else {
      if (end === "csi" && at === "csi" && parameters.length < PARAMETER_CHARS_MAX) parameters += character;
      at = end;
    }
  };
  return {
    write: (text) => {
      for (const character of text) {
        if (at !== "text") inEscape(character);
        else if (isControl(character)) control(character);
        else put(character);
      }
    },
    lines: () => [...done.slice(-linesMax), ...(cells.length > 0 ? [lineOf(cells, styles)] : [])],
    dropped: () => droppedLines + Math.max(0, done.length - linesMax),
  };
}

/** Where the reader is after this character of an escape. `text-again`: the escape was cut off by a control. */
function stepOf(at: At, character: string, length: number): At | "csi-end" | "text-again" {
  const isCut = character === "\x18" || character === "\x1a" || length > ESCAPE_CHARS_MAX;
  switch (at) {
    case "string":
      if (character === "\x07" || character === "\x9c" || isCut) return "text";
      return character === "\x1b" ? "string-escape" : "string";
    case "string-escape":
      // ESC \ ends the string; any other escape ends it too and begins.
      return character === "\\" ? "text" : afterEscape(character);
    case "escape":
      return afterEscape(character);
    case "charset":
      return character >= " " ? "text" : "text-again";
    case "csi":
      if (isControl(character)) return "text-again";
      if (character >= "@" && character <= "~") return "csi-end";
      return character >= " " && character <= "?" && !isCut ? "csi" : "text";
    default:
      return "text";
  }
}

function afterEscape(character: string): At | "text-again" {
  if (character === "[") return "csi";
  if ("]P_^X".includes(character)) return "string";
  if (isControl(character)) return "text-again";
  return " #%()*+-./".includes(character) ? "charset" : "text";
}

function isControl(character: string): boolean {
  return character < " " || (character >= "\x7f" && character <= "\x9f");
}

function lineOf(cells: readonly string[], styles: readonly AnsiStyle[]): AnsiLine {
  const spans: AnsiSpan[] = [];
  let [start, style] = [0, styles[0]];
  for (let at = 1; at <= cells.length; at += 1) {
    if (at < cells.length && styles[at] === style) continue;
    if (style !== undefined) spans.push({ text: cells.slice(start, at).join(""), style });
    [start, style] = [at, styles[at]];
  }
  return { spans };
}
