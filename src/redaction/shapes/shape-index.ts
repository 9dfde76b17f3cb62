import { ANCHOR_BYTES, anchorHash, type Filter } from "../filter/filter.ts";
import { assignedNames } from "./assigned-names.ts";
import { looksRandom } from "./checks.ts";
import {
  beginsAsWord,
  type ClassPart,
  type CompiledPattern,
  compilePattern,
  firstBytes,
  type Part,
  type Shape,
} from "./shape.ts";

/** The text ends while the pattern has fitted so far; or the pattern does not fit. */
const RAN_OUT = -1;
const NO_MATCH = -2;

export interface ShapeMatch {
  readonly shape: Shape;
  readonly start: number;
  readonly end: number;
}

/** Shapes by how they begin. */
export interface ShapeIndex {
  /** To be called before another text is looked at. */
  forget(): void;
  /** Whether these few bytes may be the beginning of a shape. */
  mayBegin(text: Uint8Array, at: number, to: number): boolean;
  /** What is assigned here to a name that keys have. */
  assignedAt(text: Uint8Array, at: number, to: number, isFinal: boolean): ShapeMatch | "open" | null;
  /** The longest shape that begins here; `open` when more text is needed to say. */
  at(text: Uint8Array, at: number, to: number, isFinal: boolean): ShapeMatch | "open" | null;
}

export function createShapeIndex(shapes: readonly Shape[], filter: Filter): ShapeIndex {
  const byPair = new Map<number, CompiledPattern[]>();
  const byAnchor = new Map<number, CompiledPattern[]>();
  const byName = new Map<string, CompiledPattern[]>();
  const beginnings = new Set<string>();
  const secret = { start: 0, end: 0 };
  const runs: Runs = new Map();
  for (const shape of shapes)
    for (const pattern of shape.patterns) {
      const compiled = compilePattern(shape, pattern);
      for (const name of shape.names ?? []) addTo(byName, name, compiled);
      if (shape.names !== undefined) continue;
      const [first, second] = [pattern.charCodeAt(0), pattern.charCodeAt(1)];
      for (let length = 1; length < ANCHOR_BYTES; length += 1) beginnings.add(latin1(compiled.opening, 0, length));
      if (beginsAsWord(compiled)) {
        filter.addWord(firstBytes(compiled));
        addTo(byPair, first | (second << 8), compiled);
      } else {
        filter.addAnchor(compiled.opening);
        addTo(byAnchor, anchorHash(compiled.opening, 0), compiled);
      }
    }
  const longest = (
    patterns: readonly CompiledPattern[],
    text: Uint8Array,
    at: number,
    to: number,
    isFinal: boolean,
  ) => {
    let best: ShapeMatch | null = null;
    for (const pattern of patterns) {
      const end = matchPattern(pattern, text, at, to, isFinal, secret, runs);
      if (end === RAN_OUT) return "open";
      if (end <= (best?.end ?? at) || !isSound(pattern.shape, text, secret.start, secret.end)) continue;
      best = { shape: pattern.shape, ...secret };
    }
    return best;
  };
  return {
    forget: () => runs.clear(),
    mayBegin: (text, at, to) => !isWithinWord(text, at) && beginnings.has(latin1(text, at, to)),
    at: (text, at, to, isFinal) => {
      if (isWithinWord(text, at)) return null;
      const words = byPair.get((text[at] ?? 0) | ((text[at + 1] ?? 0) << 8)) ?? NONE;
      const anchored = at + ANCHOR_BYTES <= to ? (byAnchor.get(anchorHash(text, at)) ?? NONE) : NONE;
      const found = longest(words, text, at, to, isFinal);
      return found ?? longest(anchored, text, at, to, isFinal);
    },
    assignedAt: (text, at, to, isFinal) => {
      for (const name of assignedNames(text, at)) {
        const patterns = byName.get(name);
        if (patterns !== undefined) return longest(patterns, text, at, to, isFinal);
      }
      return null;
    },
  };
}

const NONE: readonly CompiledPattern[] = [];

function addTo<K, T>(lists: Map<K, T[]>, name: K, item: T): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [item]);
  else list.push(item);
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.max(0, to - from)).toString("latin1");
}

function isSound(shape: Shape, text: Uint8Array, at: number, end: number): boolean {
  const secret = latin1(text, at, end);
  return (shape.check ?? looksRandom)(secret);
}

/** Answers where the pattern ends, and puts into `secret` which part of it is one. */
function matchPattern(
  { parts, keptParts }: CompiledPattern,
  text: Uint8Array,
  from: number,
  to: number,
  isFinal: boolean,
  secret: { start: number; end: number },
  runs: Runs,
): number {
  let at = from;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (part === undefined) return NO_MATCH;
    if (index === keptParts) secret.start = at;
    const isLast = index === parts.length - 1;
    const isLiteral = "literal" in part;
    const next = isLiteral ? literalEnd(part.literal, text, at, to) : classEnd(part, text, at, to, runs);
    if (next < 0) return next === RAN_OUT && isFinal ? NO_MATCH : next;
    if (next >= to && !isFinal && !isLiteral) return RAN_OUT;
    if (isLast && !isLiteral && next < to && part.members[text[next] ?? 0] === 1) return NO_MATCH;
    at = next;
    if (!(isLast && isTerminator(part))) secret.end = next;
  }
  return at;
}

/** `@` and `;` after a password end it and stay. */
function isTerminator(part: Part): boolean {
  return "literal" in part && part.literal.length === 1 && (part.literal[0] === 0x40 || part.literal[0] === 0x3b);
}

function literalEnd(literal: Uint8Array, text: Uint8Array, at: number, to: number): number {
  for (let i = 0; i < literal.length; i += 1) {
    if (at + i >= to) return RAN_OUT;
    if (text[at + i] !== literal[i]) return NO_MATCH;
  }
  return at + literal.length;
}

/** By class: the last run of its characters that was looked at. Text that begins a shape in every place stays linear. */
type Runs = Map<Uint8Array, { from: number; end: number }>;

function classEnd({ members, min, max }: ClassPart, text: Uint8Array, at: number, to: number, runs: Runs): number {
  const end = Math.min(at + max, runEnd(members, text, at, to, runs));
  if (end - at >= min) return end;
  return end >= to ? RAN_OUT : NO_MATCH;
}

function runEnd(members: Uint8Array, text: Uint8Array, at: number, to: number, runs: Runs): number {
  const last = runs.get(members);
  if (last !== undefined && last.from <= at && at < last.end) return last.end;
  let end = at;
  while (end < to && members[text[end] ?? 0] === 1) end += 1;
  if (end - at >= RUN_KEPT_BYTES) runs.set(members, { from: at, end });
  return end;
}

const RUN_KEPT_BYTES = 64;

/** A letter or digit before it, unless that is the end of an escape: `\n`, `%3D`, `\x3d`, `\u003d`. */
function isWithinWord(text: Uint8Array, at: number): boolean {
  if (at === 0 || !isAlphanumeric(text[at - 1] ?? 0)) return false;
  const isEscape =
    text[at - 2] === 0x5c ||
    text[at - 3] === 0x25 ||
    (text[at - 4] === 0x5c && text[at - 3] === 0x78) ||
    (text[at - 6] === 0x5c && text[at - 5] === 0x75);
  return !isEscape;
}

function isAlphanumeric(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}
