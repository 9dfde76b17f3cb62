import {
  BACKSLASH,
  createEscapeBytes,
  type EscapeBytes,
  escapesOfAnything,
  lettersFor,
  startsEscape,
} from "../escapes/read-escape.ts";
import { ANCHOR_BYTES, anchorHash, type Filter } from "../filter/filter.ts";
import type { Needle } from "./compare.ts";
import { needlesOf } from "./needles.ts";

export interface Known {
  readonly value: Uint8Array;
  readonly needle: Needle;
}

/**
 * Known values by the first bytes of each of their forms. Letters count alike in upper and lower case here, so that hex has
 * one anchor; the comparison afterwards is exact.
 */
export interface ValueIndex {
  /** Values that are known already change nothing. */
  learn(values: readonly Uint8Array[]): void;
  readonly size: number;
  /** What may begin at this place. */
  at(text: Uint8Array, at: number): readonly Known[];
  /** Whether these two bytes begin an escape that may be part of an anchor. */
  beginsEscape(first: number, second: number): boolean;
  /** Whether anything may begin at this place; quicker, and says yes more often. */
  mayBeAt(text: Uint8Array, at: number): boolean;
  /** For whoever unescapes a few bytes to ask about them. */
  readonly scratch: { readonly bytes: Uint8Array; readonly escaped: EscapeBytes };
  /** Whether these few bytes, fewer than an anchor has, may begin a value. */
  mayBegin(text: Uint8Array, at: number, length: number): boolean;
  /** Whether an escape that stands for `byte` before `next` may be part of an anchor, or of an escape within it. */
  escapeMatters(byte: number, next: number): boolean;
}

export function createValueIndex(filter: Filter): ValueIndex {
  const seen = new Set<string>();
  const byAnchor = new Map<number, Known[]>();
  const beginnings = new Uint8Array(1 << BEGINNING_BITS);
  const bytes = new Uint8Array(256);

  const escapes = new Uint8Array(0x10000);
  const addEscape = (first: number, second: number) => {
    escapes[first | (second << 8)] = 1;
    filter.addEscape(first, second);
  };
  for (const [first, second] of escapesOfAnything()) addEscape(first, second);
  const addByte = (byte: number) => {
    bytes[byte] = 1;
    for (const letter of lettersFor(byte)) addEscape(BACKSLASH, letter);
  };
  const addAnchor = (anchor: Uint8Array, known: Known) => {
    const key = anchorHash(anchor, 0);
    const others = byAnchor.get(key);
    if (others === undefined) byAnchor.set(key, [known]);
    else others.push(known);
    filter.addAnchor(anchor);
    for (let length = 1; length < ANCHOR_BYTES; length += 1) beginnings[beginningSlot(anchor, 0, length)] = 1;
    for (const byte of anchor) if (bytes[byte] === 0) addByte(byte);
  };

  return {
    get size() {
      return seen.size;
    },
    learn: (values) => {
      for (const value of values) {
        const key = Buffer.from(value).toString("latin1");
        if (seen.has(key)) continue;
        seen.add(key);
        for (const { needle, anchors } of needlesOf(value))
          for (const anchor of anchors) addAnchor(anchor, { value, needle });
      }
    },
    at: (text, at) => {
      const hash = anchorHash(text, at);
      return filter.mayAnchor(hash) ? (byAnchor.get(hash) ?? NONE) : NONE;
    },
    scratch: { bytes: new Uint8Array(SCRATCH_BYTES), escaped: createEscapeBytes() },
    mayBeAt: (text, at) => filter.mayAnchor(anchorHash(text, at)),
    mayBegin: (text, at, length) => beginnings[beginningSlot(text, at, length)] === 1,
    beginsEscape: (first, second) => escapes[first | (second << 8)] === 1,
    escapeMatters: (byte, next) => bytes[byte] === 1 || (startsEscape(byte) && escapes[byte | (next << 8)] === 1),
  };
}

const NONE: readonly Known[] = [];
const SCRATCH_BYTES = 256;
const BEGINNING_BITS = 20;
const HASH_FACTOR = 0x9e3779b1;

function beginningSlot(text: Uint8Array, at: number, length: number): number {
  let hash = length;
  for (let i = 0; i < length; i += 1) hash = Math.imul(hash ^ ((text[at + i] ?? 0) & 0xdf), 0x01000193);
  return Math.imul(hash, HASH_FACTOR) >>> (32 - BEGINNING_BITS);
}
