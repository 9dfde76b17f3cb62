/** A key, a pasted text or a mouse event, decoded from what a terminal sends. */
export interface Key {
  readonly name: KeyName;
  /** What was typed or pasted; empty for keys that make no text. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** Where the mouse was, from 0. */
  readonly at?: { readonly row: number; readonly column: number };
}

export type KeyName =
  | "text"
  | "paste"
  | "enter"
  | "tab"
  | "escape"
  | "backspace"
  | "delete"
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "pageup"
  | "pagedown"
  | "click"
  | "wheelup"
  | "wheeldown"
  | "unknown";

export interface KeyDecoder {
  readonly feed: (text: string) => readonly Key[];
  /** An escape byte came and nothing after it: the Escape key, or the first byte of a longer key. */
  readonly isHalf: () => boolean;
  /** No more bytes came: what is half is taken as it is. */
  readonly flush: () => readonly Key[];
}

const ESC = "\u001b";
const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** A longer paste is cut: the daemon takes prompts of 1 MiB. */
const PASTE_CHARS_MAX = 4_194_304;

const FINALS: { readonly [final: string]: KeyName } = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  Z: "tab",
  M: "enter",
};
const TILDES: { readonly [number: string]: KeyName } = {
  "1": "home",
  "3": "delete",
  "4": "end",
  "5": "pageup",
  "6": "pagedown",
  "7": "home",
  "8": "end",
};

export function createKeyDecoder(): KeyDecoder {
  let rest = "";
  const pasted: string[] = [];
  let pastedChars = 0;
  let isPasting = false;

  const paste = (text: string): void => {
    const kept = text.slice(0, Math.max(0, PASTE_CHARS_MAX - pastedChars));
    pastedChars += kept.length;
    if (kept !== "") pasted.push(kept);
  };
  /** Bytes of a paste; null while its end has not come. */
  const takePaste = (): Key | null => {
    const end = rest.indexOf(PASTE_END);
    if (end < 0) {
      // The end mark may be cut in two.
      const safe = Math.max(0, rest.length - PASTE_END.length);
      paste(rest.slice(0, safe));
      rest = rest.slice(safe);
      return null;
    }
    paste(rest.slice(0, end));
    rest = rest.slice(end + PASTE_END.length);
    isPasting = false;
    const text = pasted.join("").replace(/\r\n?/g, "\n");
    pasted.length = 0;
    pastedChars = 0;
    return plain("paste", text);
  };
  const feed = (text: string): readonly Key[] => {
    rest += text;
    const keys: Key[] = [];
    while (rest !== "") {
      if (isPasting) {
        const whole = takePaste();
        if (whole === null) break;
        keys.push(whole);
        continue;
      }
      if (rest.startsWith(PASTE_BEGIN)) {
        rest = rest.slice(PASTE_BEGIN.length);
        isPasting = true;
        continue;
      }
      const taken = next(rest);
      if (taken === null) break;
      rest = rest.slice(taken.length);
      keys.push(taken.key);
    }
    return keys;
  };
  return {
    feed,
    isHalf: () => !isPasting && rest !== "",
    flush: () => {
      if (isPasting || rest === "") return [];
      const half = rest;
      rest = "";
      return half === ESC ? [plain("escape")] : [plain("escape"), ...feed(half.slice(1))];
    },
  };
}

interface Taken {
  readonly key: Key;
  readonly length: number;
}

/** The first key of the text; null when the text ends inside it. */
function next(text: string): Taken | null {
  if (!text.startsWith(ESC)) return typed(text);
  const second = text[1];
  if (second === undefined) return null;
  if (second === "[") return sequence(text);
  if (second === "O") return applicationKey(text);
  if (second === ESC) return { key: plain("escape"), length: 1 };
  const { key, length } = typed(text.slice(1));
  return { key: { ...key, alt: true }, length: length + 1 };
}

/** What follows `ESC [`. */
const SEQUENCE = /^([<?>=]?[\d;:]*)[ -/]*([@-~])/;
const SEQUENCE_CHARS_MAX = 32;

function sequence(text: string): Taken | null {
  const body = text.slice(2);
  const found = SEQUENCE.exec(body);
  if (found === null) {
    const isCut = body.length < SEQUENCE_CHARS_MAX && /^[ -?]*$/.test(body);
    return isCut ? null : { key: plain("unknown"), length: 2 };
  }
  const [whole, parameters = "", final = ""] = found;
  const numbers = parameters.split(";");
  const length = whole.length + 2;
  if (parameters.startsWith("<")) return { key: mouse(numbers, final), length };
  const held = Number(numbers[1] ?? "1") - 1;
  const name = final === "~" ? TILDES[numbers[0] ?? ""] : FINALS[final];
  if (final === "u") return { key: withHeld(codePointKey(Number(numbers[0])), held), length };
  if (final === "~" && numbers[0] === "27") {
    return { key: withHeld(codePointKey(Number(numbers[2])), held), length };
  }
  if (final === "Z") return { key: { ...plain("tab"), shift: true }, length };
  return { key: name === undefined ? plain("unknown") : withHeld(plain(name), held), length };
}

function applicationKey(text: string): Taken | null {
  const final = text[2];
  if (final === undefined) return null;
  return { key: plain(FINALS[final] ?? "unknown"), length: 3 };
}

const LEFT_BUTTON = 0;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;
const HELD_BITS = 0b11100;

function mouse([button = "", column = "1", row = "1"]: readonly string[], final: string): Key {
  const code = Number(button.slice(1)) & ~HELD_BITS;
  const names: { readonly [code: number]: KeyName } = {
    [LEFT_BUTTON]: final === "M" ? "click" : "unknown",
    [WHEEL_UP]: "wheelup",
    [WHEEL_DOWN]: "wheeldown",
  };
  return { ...plain(names[code] ?? "unknown"), at: { row: Number(row) - 1, column: Number(column) - 1 } };
}

function withHeld(key: Key, held: number): Key {
  if (!(held > 0)) return key;
  return { ...key, shift: (held & 1) !== 0, alt: (held & 2) !== 0, ctrl: (held & 4) !== 0 };
}

function codePointKey(code: number): Key {
  return Number.isInteger(code) && code > 0 && code <= 0x10ffff
    ? typed(String.fromCodePoint(code)).key
    : plain("unknown");
}

const CONTROL_LETTERS = 0x60;

function typed(text: string): Taken {
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const code = character.codePointAt(0) ?? 0;
  const length = character.length;
  if (character === "\r") return { key: plain("enter"), length };
  // Ctrl-J. A terminal without bracketed paste sends it for the line breaks of a paste.
  if (character === "\n") return { key: { ...plain("text", "\n"), ctrl: true }, length };
  if (character === "\t") return { key: plain("tab"), length };
  if (code === 0x7f || code === 0x08) return { key: plain("backspace"), length };
  if (code < 0x20)
    return { key: { ...plain("text", String.fromCharCode(code + CONTROL_LETTERS)), ctrl: true }, length };
  return { key: plain("text", character), length };
}

function plain(name: KeyName, text = ""): Key {
  return { name, text, ctrl: false, alt: false, shift: false };
}

/** `ctrl-c`, `alt-enter`, `up`; printable text without Ctrl or Alt is `text`. */
export function chord({ name, text, ctrl, alt, shift }: Key): string {
  const base = name === "text" && (ctrl || alt) ? text : name;
  return `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift && name !== "text" ? "shift-" : ""}${base}`;
}
