import { FILTER_WASM_BASE64 } from "./filter.generated.ts";

/** What a place may be the beginning of; 0 is a known value, or a shape that has an anchor. */
export const MAYBE_SHAPE = 1;
export const MAYBE_ESCAPE = 2;
export const MAYBE_ASSIGNED = 3;

/** Bytes by which a value, or the literal beginning of a shape, is recognized. */
export const ANCHOR_BYTES = 7;

/**
 * Skips what cannot be a secret, which is nearly everything. It runs in WebAssembly, on 16 bytes at a time.
 */
export interface Filter {
  /** Where a text is put before it is looked at. A text of so many bytes has room; contents are lost when it grows. */
  room(bytes: number): Uint8Array;
  /** Letters count alike in upper and lower case. */
  addAnchor(anchor: Uint8Array): void;
  /** Whether an anchor may have this hash. */
  mayAnchor(hash: number): boolean;
  /** The first four bytes of a shape whose first 16 are letters, digits and the like; several for a class of characters. */
  addWord(bytes: WordBytes): void;
  /** The two bytes with which an escape begins that is to be reported. */
  addEscape(first: number, second: number): void;
  /** The first places in `from` to `to`; `places` holds them, each as place * 4 + kind. */
  scan(from: number, to: number, withShapes: boolean): number;
  readonly places: Int32Array;
  /** Where to go on after a scan: `to` when there is nothing more. */
  readonly next: number;
}

export type WordBytes = readonly [readonly number[], readonly number[], readonly number[], readonly number[]];

export function createFilter(): Filter {
  const { memory, next, scan } = startFilter();
  let text = new Uint8Array(memory.buffer, TEXT_AT);
  let tables = new Uint8Array(memory.buffer, 0, TEXT_AT);
  let places = new Int32Array(memory.buffer, PLACES_AT, PLACES_MAX);
  let hasAnchors = 0;
  for (const character of ALPHANUMERIC) tables[character.charCodeAt(0)] = WORD_FLAG;
  for (let byte = 0; byte < 0x100; byte += 1) if (isBreak(byte)) tables[byte] = BREAK_FLAG;
  const addFlag = (flag: number, firsts: readonly number[], seconds: readonly number[]) => {
    for (const first of firsts)
      for (const second of seconds) tables[first | (second << 8)] = (tables[first | (second << 8)] ?? 0) | flag;
  };
  return {
    get places() {
      return places;
    },
    get next() {
      return next.value - TEXT_AT;
    },
    room: (bytes) => {
      const missing = bytes + PADDING_BYTES - text.length;
      if (missing <= 0) return text;
      memory.grow(Math.ceil(missing / PAGE_BYTES));
      text = new Uint8Array(memory.buffer, TEXT_AT);
      tables = new Uint8Array(memory.buffer, 0, TEXT_AT);
      places = new Int32Array(memory.buffer, PLACES_AT, PLACES_MAX);
      return text;
    },
    addAnchor: (anchor) => {
      hasAnchors = 1;
      const hash = anchorHash(anchor, 0);
      const at = ANCHORS_AT + (hash >>> 15);
      tables[at] = (tables[at] ?? 0) | (1 << ((hash >>> 12) & 7));
      for (let gram = 0; gram + 4 <= ANCHOR_BYTES; gram += 1) {
        const slot = GRAMS_AT + (Math.imul(foldedWord(anchor, gram), FIRST_FACTOR) >>> 12);
        const after = anchor[gram + 4];
        tables[slot] = (tables[slot] ?? 0) | (after === undefined ? 0xff : 1 << (after & 7));
      }
    },
    mayAnchor: (hash) => (((tables[ANCHORS_AT + (hash >>> 15)] ?? 0) >> ((hash >>> 12) & 7)) & 1) === 1,
    addWord: ([first, second, third, fourth]) => {
      addFlag(SHAPE_FLAG, first, second);
      addFlag(SECOND_FLAG, second, third);
      addFlag(THIRD_FLAG, third, fourth);
    },
    addEscape: (first, second) => addFlag(ESCAPE_FLAG, [first], [second]),
    scan: (from, to, withShapes) => {
      text.fill(0, to, to + PADDING_BYTES);
      return scan(from + TEXT_AT, to + TEXT_AT, hasAnchors, withShapes ? 1 : 0);
    },
  };
}

/** What ends a word: white space, quotes, parentheses, `: ; < = > ? @`, and everything beyond ASCII. */
export function isBreak(byte: number): boolean {
  return byte < 0x2b || (byte >= 0x3a && byte <= 0x40) || byte >= 0x80;
}

/** What the place of a filter's entry is, in the text. */
export function placeOf(entry: number): number {
  return (entry >>> 2) - TEXT_AT;
}

/** As the filter counts the seven bytes of an anchor. */
export function anchorHash(text: Uint8Array, at: number): number {
  return Math.imul(foldedWord(text, at), FIRST_FACTOR) ^ Math.imul(foldedWord(text, at + 3), SECOND_FACTOR);
}

function foldedWord(text: Uint8Array, at: number): number {
  const word = (text[at] ?? 0) | ((text[at + 1] ?? 0) << 8) | ((text[at + 2] ?? 0) << 16) | ((text[at + 3] ?? 0) << 24);
  return word & CASE_MASK;
}

// As filter.wat lays out its memory.
const ANCHORS_AT = 65_536;
const PLACES_AT = 196_608;
const PLACES_MAX = 65_536;
const GRAMS_AT = 458_752;
const TEXT_AT = 1_507_328;
const SHAPE_FLAG = 1;
const ESCAPE_FLAG = 2;
const WORD_FLAG = 4;
const SECOND_FLAG = 8;
const THIRD_FLAG = 16;
const BREAK_FLAG = 32;
const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PADDING_BYTES = 32;
const PAGE_BYTES = 65_536;
const FIRST_FACTOR = 0x9e3779b1;
const SECOND_FACTOR = 0x85ebca6b;
const CASE_MASK = 0xdfdfdfdf | 0;

interface FilterExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly next: { readonly value: number };
  readonly scan: (from: number, to: number, withValues: number, withShapes: number) => number;
}

function startFilter(): FilterExports {
  const { WebAssembly: runtime } = globalThis as unknown as { readonly WebAssembly: Runtime };
  return new runtime.Instance(new runtime.Module(Buffer.from(FILTER_WASM_BASE64, "base64"))).exports;
}

/** The part of WebAssembly that is used: its types come with a browser's, and this is no browser. */
interface Runtime {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: FilterExports };
}
