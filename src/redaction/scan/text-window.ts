import { CONTEXT_CHARS, WINDOW_CHARS, WINDOW_MAX_CHARS } from "../limits.ts";
import { MARKER_MAX_CHARS, OPENING, type PlacedMarker, placedMarkers, VAULT_KIND } from "../markers.ts";
import type { Findings, Found } from "./found.ts";
import type { Scanner } from "./scanner.ts";

/** Looks at text that is a string: `Found` counts in its characters. */
export interface TextScanner {
  /** One window of a text that goes on. The first `contextChars` are only looked back at. */
  window(text: string, contextChars: number, isFinal: boolean): Findings;
  /** A whole text, window by window. */
  whole(text: string): readonly Found[];
}

export function createTextScanner(scanner: Scanner): TextScanner {
  const encoder = new TextEncoder();

  const look = (text: string, contextChars: number, isFinal: boolean, isSeenAgain: boolean): Findings => {
    const room = scanner.room(text.length * UTF8_MAX_BYTES);
    const { written } = encoder.encodeInto(text, room);
    const isAscii = written === text.length;
    const from = isAscii ? contextChars : Buffer.byteLength(text.slice(0, contextChars));
    const inBytes = scanner.scan({ text: room, from, to: written, isFinal, isSeenAgain }, true);
    const { found, openAt } = isAscii ? inBytes : inChars(text, inBytes);
    const markerAt = isFinal ? openAt : Math.min(openAt, cutMarkerAt(text));
    if (found.length === 0) return { found, openAt: Math.max(markerAt, contextChars) };
    const markers = placedMarkers(text);
    const kept = found.filter((one) => one.start < markerAt && !isWithinMarker(one, markers));
    return { found: kept, openAt: Math.max(markerAt, contextChars) };
  };

  return {
    window: (text, contextChars, isFinal) => look(text, contextChars, isFinal, false),
    whole: (text) => {
      if (text.length <= WINDOW_CHARS) return look(text, 0, true, false).found;
      const all: Found[] = [];
      let size = WINDOW_CHARS;
      for (let at = 0; at < text.length; ) {
        const from = wholeCharacter(text, Math.max(0, at - CONTEXT_CHARS));
        const to = wholeCharacter(text, Math.min(text.length, at + size));
        const isFinal = to === text.length || size >= WINDOW_MAX_CHARS;
        const { found, openAt } = look(text.slice(from, to), at - from, isFinal, true);
        for (const one of found) all.push({ ...one, start: one.start + from, end: one.end + from });
        // A window that decides nothing is looked at again with more text.
        size = from + openAt === at ? size * 2 : WINDOW_CHARS;
        at = from + openAt;
      }
      return all;
    },
  };
}

/** Of one unit of a string. */
const UTF8_MAX_BYTES = 3;

/** A place that does not cut a character of two units. */
function wholeCharacter(text: string, at: number): number {
  const unit = at > 0 && at < text.length ? text.charCodeAt(at - 1) : 0;
  return unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
}

/** Where a marker begins that the text ends within. */
function cutMarkerAt(text: string): number {
  const tail = text.slice(-MARKER_MAX_CHARS);
  const at = tail.lastIndexOf(OPENING);
  return at < 0 || tail.includes("]", at) ? text.length : text.length - tail.length + at;
}

/** Except in the place of its fingerprint: whoever knows a secret could hide it there. */
function isWithinMarker({ start, end, kind }: Found, markers: readonly PlacedMarker[]): boolean {
  return markers.some((marker) => {
    const digitsAt = marker.end - 1 - marker.fingerprint.length;
    return (
      start >= marker.start && end <= marker.end && !(kind === VAULT_KIND && start >= digitsAt && end < marker.end)
    );
  });
}

function inChars(text: string, { found, openAt }: Findings): Findings {
  const places = [...new Set([...found.flatMap(({ start, end }) => [start, end]), openAt])].sort((a, b) => a - b);
  const chars = new Map<number, number>();
  let bytes = 0;
  let at = 0;
  for (const place of places) {
    while (bytes < place && at < text.length) {
      const code = text.codePointAt(at) ?? 0;
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      at += code < 0x10000 ? 1 : 2;
    }
    chars.set(place, at);
  }
  const charOf = (place: number) => chars.get(place) ?? text.length;
  return {
    found: found.map((one) => ({ ...one, start: charOf(one.start), end: charOf(one.end) })),
    openAt: charOf(openAt),
  };
}
