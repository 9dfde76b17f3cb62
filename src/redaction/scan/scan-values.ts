import { createEscapeBytes, mayEscape, readEscape } from "../escapes/read-escape.ts";
import { type Unescaped, unescapeLevels } from "../escapes/unescape.ts";
import { ANCHOR_BYTES } from "../filter/filter.ts";
import { BEGINNING_MIN_BYTES, ESCAPE_LEVELS_MAX } from "../limits.ts";
import { VAULT_KIND } from "../markers.ts";
import { compareAt, differsAt, RAN_OUT } from "../values/compare.ts";
import type { Known, ValueIndex } from "../values/value-index.ts";
import type { Collector } from "./found.ts";

/** A piece of text: what begins in `from` to `to` is looked for. */
export interface Piece {
  readonly text: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** Nothing follows after `to`. */
  readonly isFinal: boolean;
  /** The last bytes are looked at again with what follows, so that it need not be found out what in them is open. */
  readonly isSeenAgain: boolean;
}

/** An anchor of known values stands at `start`. */
export function scanAnchor(index: ValueIndex, piece: Piece, start: number, into: Collector): void {
  for (const known of index.at(piece.text, start)) tryLiteral(known, piece, start, into);
}

function tryLiteral(known: Known, piece: Piece, start: number, into: Collector): void {
  if (isCovered(known, start, into)) return;
  const { text, to, isFinal } = piece;
  const end = compareAt(known.needle, text, start, to, isFinal);
  if (end < RAN_OUT && mayEscape(text[differsAt(end)] ?? 0)) tryEscaped(known, piece, start, into);
  else note(known, piece, start, end, into);
}

/** By the answer of a comparison whose places are those of the piece. */
function note(known: Known, { to, isFinal }: Piece, start: number, answer: number, into: Collector): void {
  if (answer === RAN_OUT && !isFinal) into.openAt = Math.min(into.openAt, start);
  const end = answer >= 0 ? answer : answer === RAN_OUT ? to : differsAt(answer);
  if (answer < 0 && end - start < BEGINNING_MIN_BYTES) return;
  into.found.push({ start, end, kind: VAULT_KIND, secret: known.value });
  if (end - start < BEGINNING_MIN_BYTES) return;
  into.coveredTo ??= new Map();
  into.coveredTo.set(known.needle, end);
}

/** A value that repeats itself would be compared from each of its repetitions again. */
function isCovered({ needle }: Known, start: number, { coveredTo }: Collector): boolean {
  return coveredTo !== null && start < (coveredTo.get(needle) ?? 0);
}

const FIRST_BLOCK_BYTES = 64;

/** Compares with text that is escaped somewhere, one level after the other. */
function tryEscaped(known: Known, piece: Piece, start: number, into: Collector): void {
  if (isCovered(known, start, into)) return;
  const { text, to, isFinal } = piece;
  for (let level = 1; level <= ESCAPE_LEVELS_MAX; level += 1) {
    for (let block = FIRST_BLOCK_BYTES; ; block *= 2) {
      const blockTo = Math.min(to, start + block);
      const isLast = blockTo === to;
      const view = unescapeLevels(text, start, blockTo, level, isLast && isFinal);
      const end = compareAt(known.needle, view.bytes, 0, view.length, isLast && isFinal);
      if (end === RAN_OUT && !isLast) continue;
      note(known, piece, start, placeOf(end, view), into);
      if (end >= 0 || view.levels < level) return;
      break;
    }
  }
}

/** The answer of a comparison with unescaped text, with the places of the text. */
function placeOf(answer: number, { starts, ends }: Unescaped): number {
  if (answer === RAN_OUT) return RAN_OUT;
  return answer > 0 ? (ends[answer - 1] ?? 0) : differsAt(starts[differsAt(answer)] ?? 0);
}

/** Takes the places of escapes in order; an escape that stands for a byte of some anchor is looked at, with its surroundings. */
export interface EscapeScan {
  at(place: number): void;
  end(): void;
}

export function createEscapeScan(index: ValueIndex, piece: Piece, into: Collector): EscapeScan {
  const { text, from, to } = piece;
  const out = createEscapeBytes();
  let takenTo = from;
  let regionFrom = -1;
  let regionTo = -1;
  const end = () => {
    if (regionFrom >= 0) scanRegion(index, piece, regionFrom, regionTo, into);
    regionFrom = -1;
  };
  return {
    end,
    at: (place) => {
      if (place < takenTo) return;
      const taken = readEscape(text, place, to, out);
      if (taken <= 0) return;
      takenTo = place + taken;
      if (out.length > 0 && !index.escapeMatters(out.bytes[0] ?? 0, text[takenTo] ?? 0)) return;
      const isLong = regionFrom >= 0 && place - regionFrom > REGION_MAX_BYTES;
      if (regionFrom >= 0 && (place > regionTo || isLong)) end();
      if (regionFrom < 0) regionFrom = Math.max(from, place - (isLong ? REGION_OVERLAP_BYTES : BEFORE_ESCAPE_BYTES));
      regionTo = Math.min(to, takenTo + AFTER_ESCAPE_BYTES);
    },
  };
}

/** Text that is escaped throughout is looked at in pieces, with an anchor's worth of escapes in common. */
const REGION_MAX_BYTES = 4096;
const REGION_OVERLAP_BYTES = 256;
/** The rest of an anchor, with the quote of a shell before it. */
const BEFORE_ESCAPE_BYTES = 8;
/** The rest of an anchor, or of the escape within the escape, up to the next. */
const AFTER_ESCAPE_BYTES = 16;

function scanRegion(index: ValueIndex, piece: Piece, from: number, to: number, into: Collector): void {
  if (to - from <= SHORT_REGION_BYTES && !mayHoldAnchor(index, piece.text, from, to)) return;
  for (let level = 1; level <= ESCAPE_LEVELS_MAX; level += 1) {
    const view = unescapeLevels(piece.text, from, to, level, piece.isFinal || to < piece.to);
    if (view.levels < level) return;
    for (let at = 0; at + ANCHOR_BYTES <= view.length; at += 1)
      for (const known of index.at(view.bytes, at)) tryEscaped(known, piece, view.starts[at] ?? from, into);
  }
}

const SHORT_REGION_BYTES = 64;

/** Most regions are one `\/` of a pattern: they are ruled out without making anything. */
function mayHoldAnchor(index: ValueIndex, text: Uint8Array, from: number, to: number): boolean {
  const { bytes, escaped } = index.scratch;
  let length = 0;
  for (let at = from; at < to; ) {
    const taken = readEscape(text, at, to, escaped);
    if (taken <= 0) bytes[length++] = text[at] ?? 0;
    else for (let k = 0; k < escaped.length; k += 1) bytes[length++] = escaped.bytes[k] ?? 0;
    at += Math.max(1, taken);
  }
  bytes[length] = 0;
  for (let at = 0; at < length; at += 1) {
    if (index.beginsEscape(bytes[at] ?? 0, bytes[at + 1] ?? 0)) return true;
    if (at + ANCHOR_BYTES <= length && index.mayBeAt(bytes, at)) return true;
  }
  return false;
}

/** The last bytes, too few for an anchor, and an escape that is cut off: they may be the beginning of a value. */
export function holdValues(index: ValueIndex, { text, from, to }: Piece, into: Collector): void {
  for (let length = 1; length < ANCHOR_BYTES && to - length >= from; length += 1)
    if (index.mayBegin(text, to - length, length)) into.openAt = Math.min(into.openAt, to - length);
  const tailFrom = Math.max(from, to - TAIL_BYTES);
  if (!hasEscape(text, tailFrom, to)) return;
  for (let level = 1; level <= ESCAPE_LEVELS_MAX; level += 1) {
    const view = unescapeLevels(text, tailFrom, to, level, false);
    into.openAt = Math.min(into.openAt, view.cutAt);
    for (let length = 1; length < ANCHOR_BYTES && length <= view.length; length += 1)
      if (index.mayBegin(view.bytes, view.length - length, length))
        into.openAt = Math.min(into.openAt, view.starts[view.length - length] ?? to);
    if (view.levels < level) return;
  }
}

const TAIL_BYTES = 96;

function hasEscape(text: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (mayEscape(text[at] ?? 0)) return true;
  return false;
}
