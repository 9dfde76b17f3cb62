import { chord, type Key } from "../screen/keys.ts";
import type { Editor, Span } from "./editor.ts";

const MOVES: { readonly [chord: string]: Span } = {
  left: "left",
  right: "right",
  "ctrl-b": "left",
  "ctrl-f": "right",
  "ctrl-left": "word-left",
  "ctrl-right": "word-right",
  "alt-left": "word-left",
  "alt-right": "word-right",
  "alt-b": "word-left",
  "alt-f": "word-right",
  home: "line-start",
  end: "line-end",
  "ctrl-a": "line-start",
  "ctrl-e": "line-end",
};

const CUTS: { readonly [chord: string]: Span } = {
  backspace: "left",
  "ctrl-h": "left",
  delete: "right",
  "ctrl-w": "word-left",
  "alt-backspace": "word-left",
  "alt-d": "word-right",
  "ctrl-u": "line-start",
  "ctrl-k": "line-end",
};

const NEW_LINES: readonly string[] = ["alt-enter", "shift-enter", "ctrl-j", "ctrl-\n"];

/** Applies the keys of a line editor. False for a key that edits nothing, such as Enter or Tab. */
export function editByKey(editor: Editor, key: Key): boolean {
  const pressed = chord(key);
  const move = MOVES[pressed];
  const cut = CUTS[pressed];
  if (key.name === "paste") editor.paste(key.text);
  else if (pressed === "text") editor.insert(key.text);
  else if (NEW_LINES.includes(pressed)) editor.insert("\n");
  else if (move !== undefined) editor.move(move, Number.POSITIVE_INFINITY);
  else if (cut !== undefined) editor.cut(cut);
  else if (pressed === "ctrl-y") editor.yank();
  else return false;
  return true;
}
