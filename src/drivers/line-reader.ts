import { gatherBytes } from "../contract/index.ts";

/** Splits bytes into lines with a limit: a longer line is skipped and gives one null. */
export interface LineReader {
  /** The lines complete so far. Invalid UTF-8 becomes U+FFFD. */
  readonly push: (bytes: Uint8Array) => readonly (string | null)[];
  /** The text after the last line end; null when there is none. */
  readonly rest: () => string | null;
}

const LINE_END = 10;

export function createLineReader(lineBytesMax: number): LineReader {
  const decoder = new TextDecoder();
  const held = gatherBytes();
  let skipping = false;

  const hold = (bytes: Uint8Array): void => {
    if (skipping) return;
    skipping = held.size() + bytes.length > lineBytesMax;
    if (skipping) held.take();
    else held.add(bytes);
  };
  const take = (bytes: Uint8Array): string | null => {
    if (bytes.length === 0 && held.size() === 0 && !skipping) return "";
    // Most lines arrive in one piece, which needs no copy.
    if (!skipping && held.size() === 0 && bytes.length <= lineBytesMax) return decoder.decode(bytes);
    hold(bytes);
    const line = skipping ? null : decoder.decode(held.take());
    skipping = false;
    return line;
  };

  return {
    push: (bytes) => {
      const lines: (string | null)[] = [];
      let from = 0;
      for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, from)) {
        lines.push(take(bytes.subarray(from, at)));
        from = at + 1;
      }
      hold(bytes.subarray(from));
      return lines;
    },
    rest: () => (held.size() === 0 && !skipping ? null : take(new Uint8Array(0))),
  };
}
