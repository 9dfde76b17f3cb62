import { ANCHOR_BYTES, isBreak } from "../filter/filter.ts";
import type { ShapeIndex, ShapeMatch } from "../shapes/shape-index.ts";
import type { Collector } from "./found.ts";
import type { Piece } from "./scan-values.ts";

/** A shape may begin at `at`. */
export function scanShape(index: ShapeIndex, piece: Piece, at: number, into: Collector): void {
  note(index.at(piece.text, at, piece.to, piece.isFinal), piece, at, into);
}

/** A long word with a digit begins at `at`. */
export function scanAssigned(index: ShapeIndex, piece: Piece, at: number, into: Collector): void {
  note(index.assignedAt(piece.text, at, piece.to, piece.isFinal), piece, at, into);
}

function note(match: ShapeMatch | "open" | null, { text }: Piece, at: number, into: Collector): void {
  if (match === null) return;
  if (match === "open") into.openAt = Math.min(into.openAt, at);
  else {
    const { start, end, shape } = match;
    into.found.push({ start, end, kind: shape.id, secret: text.slice(start, end) });
  }
}

/** The last bytes of text that goes on: too few for the filter to see a shape. */
export function holdShapes(index: ShapeIndex, piece: Piece, into: Collector): void {
  const { text, from, to } = piece;
  for (let at = Math.max(from, to - FILTER_BYTES); at < to && at < into.openAt; at += 1) {
    if (to - at < ANCHOR_BYTES && index.mayBegin(text, at, to)) into.openAt = at;
    else {
      scanShape(index, piece, at, into);
      if (at > 0 && isBreak(text[at - 1] ?? 0)) scanAssigned(index, piece, at, into);
    }
  }
}

const FILTER_BYTES = 16;
