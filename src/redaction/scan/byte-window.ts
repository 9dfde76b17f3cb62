import { CONTEXT_CHARS, WINDOW_CHARS, WINDOW_MAX_CHARS } from "../limits.ts";
import type { Found } from "./found.ts";
import type { Scanner } from "./scanner.ts";

export interface ByteScanner {
  whole(bytes: Uint8Array, withShapes: boolean): readonly Found[];
}

export function createByteScanner(scanner: Scanner): ByteScanner {
  return {
    whole: (bytes, withShapes) => {
      const all: Found[] = [];
      let size = WINDOW_CHARS;
      for (let at = 0; at < bytes.length; ) {
        const from = Math.max(0, at - CONTEXT_CHARS);
        const to = Math.min(bytes.length, at + size);
        const isFinal = to === bytes.length || size >= WINDOW_MAX_CHARS;
        const text = scanner.room(to - from);
        text.set(bytes.subarray(from, to));
        const piece = { text, from: at - from, to: to - from, isFinal, isSeenAgain: true };
        const { found, openAt } = scanner.scan(piece, withShapes);
        for (const one of found) all.push({ ...one, start: one.start + from, end: one.end + from });
        size = from + openAt === at ? size * 2 : WINDOW_CHARS;
        at = from + openAt;
      }
      return all;
    },
  };
}
