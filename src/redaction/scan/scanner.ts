import { type Filter, MAYBE_ASSIGNED, MAYBE_ESCAPE, MAYBE_SHAPE, placeOf } from "../filter/filter.ts";
import { OVERLAP_BYTES } from "../limits.ts";
import { VAULT_KIND } from "../markers.ts";
import type { ShapeIndex } from "../shapes/shape-index.ts";
import type { ValueIndex } from "../values/value-index.ts";
import type { Collector, Findings, Found } from "./found.ts";
import { holdShapes, scanAssigned, scanShape } from "./scan-shapes.ts";
import { createEscapeScan, type EscapeScan, holdValues, type Piece, scanAnchor } from "./scan-values.ts";

export interface Scanner {
  /** Where the text of a piece has to stand. */
  room(bytes: number): Uint8Array;
  scan(piece: Piece, withShapes: boolean): Findings;
}

export function createScanner(filter: Filter, values: ValueIndex, shapes: ShapeIndex): Scanner {
  const visit = (piece: Piece, withShapes: boolean, count: number, state: State) => {
    const { places } = filter;
    const { into } = state;
    for (let i = 0; i < count; i += 1) {
      const entry = places[i] ?? 0;
      const place = placeOf(entry);
      const kind = entry & 3;
      // What begins after a place that is still open is looked at again with more text.
      if (place < piece.from || place > into.openAt) continue;
      if (kind === MAYBE_SHAPE) scanShape(shapes, piece, place, into);
      else if (kind === MAYBE_ASSIGNED) scanAssigned(shapes, piece, place, into);
      else if (kind === MAYBE_ESCAPE) {
        state.escapes ??= createEscapeScan(values, piece, into);
        state.escapes.at(place);
      } else {
        scanAnchor(values, piece, place, into);
        if (withShapes) scanShape(shapes, piece, place, into);
      }
    }
  };
  const holdEnd = (piece: Piece, withShapes: boolean, into: Collector) => {
    const isLong = piece.to - piece.from > 2 * OVERLAP_BYTES;
    if (piece.isSeenAgain && isLong) into.openAt = Math.min(into.openAt, piece.to - OVERLAP_BYTES);
    else {
      if (values.size > 0) holdValues(values, piece, into);
      if (withShapes) holdShapes(shapes, piece, into);
    }
  };
  return {
    room: filter.room,
    scan: (piece, withShapes) => {
      const { from, to, isFinal } = piece;
      const into: Collector = { found: [], openAt: to, coveredTo: null };
      const state: State = { into, escapes: null };
      if (withShapes) shapes.forget();
      for (let at = from; at < to; at = filter.next) visit(piece, withShapes, filter.scan(at, to, withShapes), state);
      state.escapes?.end();
      if (!isFinal) holdEnd(piece, withShapes, into);
      return into.found.length === 0 ? into : settled(into);
    },
  };
}

interface State {
  readonly into: Collector;
  escapes: EscapeScan | null;
}

function settled({ found, openAt }: Collector): Findings {
  const all = merged(found);
  const across = all.find(({ start, end }) => start < openAt && end > openAt);
  const cut = across === undefined ? openAt : across.start;
  return { found: all.filter(({ start }) => start < cut), openAt: cut };
}

/** Secrets that overlap become one; a known value names it, or else the longest. */
function merged(found: readonly Found[]): readonly Found[] {
  const result: Found[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || next.start >= last.end) result.push(next);
    else result[result.length - 1] = { ...named(last, next), start: last.start, end: Math.max(last.end, next.end) };
  }
  return result;
}

function named(first: Found, second: Found): Found {
  if ((first.kind === VAULT_KIND) !== (second.kind === VAULT_KIND)) return first.kind === VAULT_KIND ? first : second;
  return second.end - second.start > first.end - first.start ? second : first;
}
