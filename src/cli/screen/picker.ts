import { cutTo, padTo, widthOf } from "../print/screen-text.ts";
import { harmless, inOneLine } from "./harmless.ts";
import { chord, type Key } from "./keys.ts";
import type { Cursor } from "./live-region.ts";
import { bold, dim, reverse, type Text } from "./styled.ts";

/** One line of a list to choose from. */
export interface Choice<T> {
  readonly value: T;
  readonly text: string;
  readonly hint?: string;
  /** Where the list begins. */
  readonly isCurrent?: boolean;
}

/** A list to choose from by arrows or by typing a part of a line. */
export interface Picker {
  readonly hear: (key: Key) => void;
  readonly lines: (columns: number, rows: number) => { readonly rows: readonly Text[]; readonly cursor: Cursor };
}

const ROWS_MAX = 12;
const TEXT_COLUMNS_MAX = 40;
const KEYS = "Up, Down, type to filter; Enter chooses, Esc leaves";

/** `done` gets the chosen value, or null when a person leaves. */
export function createPicker<T>(title: string, choices: readonly Choice<T>[], done: (value: T | null) => void): Picker {
  let typed = "";
  let at = Math.max(
    0,
    choices.findIndex(({ isCurrent }) => isCurrent === true),
  );
  const found = (): readonly Choice<T>[] => {
    const words = typed.toLowerCase().split(" ");
    return choices.filter(({ text, hint = "" }) => {
      const line = `${text} ${hint}`.toLowerCase();
      return words.every((word) => line.includes(word));
    });
  };
  const move = (by: number): void => {
    at = Math.min(Math.max(0, at + by), Math.max(0, found().length - 1));
  };
  const filter = (next: string): void => {
    typed = next;
    at = 0;
  };
  const actions: { readonly [chord: string]: () => void } = {
    up: () => move(-1),
    "ctrl-p": () => move(-1),
    down: () => move(1),
    "ctrl-n": () => move(1),
    tab: () => move(1),
    pageup: () => move(-ROWS_MAX),
    pagedown: () => move(ROWS_MAX),
    home: () => move(-choices.length),
    end: () => move(choices.length),
    backspace: () => filter([...typed].slice(0, -1).join("")),
    "ctrl-u": () => filter(""),
    escape: () => done(null),
    "ctrl-c": () => done(null),
    "ctrl-d": () => done(null),
    enter: () => {
      const chosen = found()[at];
      if (chosen !== undefined) done(chosen.value);
    },
  };
  return {
    hear: (key) => {
      const action = actions[chord(key)];
      if (action !== undefined) action();
      else if (key.name === "paste" || chord(key) === "text") filter(typed + inOneLine(key.text));
    },
    lines: (columns, rows) => {
      const all = found();
      const most = Math.max(1, Math.min(ROWS_MAX, rows - 2));
      const first = Math.max(0, Math.min(at - Math.floor(most / 2), all.length - most));
      const head = `${title}: ${clean(typed)}`;
      const shown = all.slice(first, first + most);
      const widest = Math.min(TEXT_COLUMNS_MAX, Math.max(0, ...shown.map(({ text }) => widthOf(clean(text)))));
      const listed = shown.map((choice, index) => line(choice, first + index === at, widest, columns));
      const none = all.length === 0 ? [dim("  nothing matches")] : [];
      const keys = rows > 3 ? [dim(cutTo(`${KEYS}${countOf(all.length, shown.length)}`, columns))] : [];
      const column = Math.min(columns - 1, widthOf(head));
      return { rows: [bold(cutTo(head, columns)), ...listed, ...none, ...keys], cursor: { row: 0, column } };
    },
  };
}

/** The mark `>` also tells where there is no colour. */
function line<T>({ text, hint = "" }: Choice<T>, isChosen: boolean, widest: number, columns: number): Text {
  const shown = `${isChosen ? "> " : "  "}${padTo(cutTo(clean(text), widest), widest)}  ${clean(hint)}`.trimEnd();
  return isChosen ? reverse(cutTo(shown, columns)) : cutTo(shown, columns);
}

function countOf(all: number, shown: number): string {
  return all > shown ? ` (${all})` : "";
}

function clean(text: string): string {
  return inOneLine(harmless(text));
}
