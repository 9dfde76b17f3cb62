/** Bytes to lines, with a bound: a line that is longer is skipped as it comes and shows as one null. */
export interface LineReader {
  /** The lines that are complete now. Bytes that are no UTF-8 show as U+FFFD. */
  readonly push: (bytes: Uint8Array) => readonly (string | null)[];
  /** What stands behind the last line's end; null when there is nothing. */
  readonly rest: () => string | null;
}

const LINE_END = 10;

export function createLineReader(lineBytesMax: number): LineReader {
  const decoder = new TextDecoder();
  let pieces: Uint8Array[] = [];
  let heldBytes = 0;
  let skipping = false;

  const hold = (bytes: Uint8Array): void => {
    if (skipping) return;
    heldBytes += bytes.length;
    pieces.push(bytes);
    if (heldBytes <= lineBytesMax) return;
    skipping = true;
    pieces = [];
  };
  const take = (): string | null => {
    const line = skipping ? null : decoder.decode(Buffer.concat(pieces));
    pieces = [];
    heldBytes = 0;
    skipping = false;
    return line;
  };

  return {
    push: (bytes) => {
      const lines: (string | null)[] = [];
      let from = 0;
      for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, from)) {
        hold(bytes.subarray(from, at));
        lines.push(take());
        from = at + 1;
      }
      hold(bytes.subarray(from));
      return lines;
    },
    rest: () => (heldBytes === 0 ? null : take()),
  };
}
