import type { ToolContext } from "../../tool.ts";

/**
 * Lines of a file from `first` (1-based) on, read in ranges: a file of any size costs the memory of one range. Stops at
 * the limits, or at the end of the file.
 */
export async function readLines(path: string, wanted: Wanted, context: ToolContext): Promise<Page> {
  const reader = lineReader(wanted);
  let from = 0;
  for (;;) {
    context.signal.throwIfAborted();
    const bytes = from === 0 ? FIRST_BYTES : RANGE_BYTES;
    const range = await context.world.read(path, { from, bytes });
    const chunk = Buffer.from(range.bytes.buffer, range.bytes.byteOffset, range.bytes.byteLength);
    from += chunk.length;
    // An empty answer before the end: the file became shorter meanwhile.
    const isEnd = from >= range.size || chunk.length === 0;
    if (reader.take(chunk)) return reader.page(false);
    if (isEnd) return reader.page(true);
    if (from >= SCAN_BYTES_MAX) return { ...reader.page(false), isTooFar: true };
  }
}

export interface Wanted {
  readonly first: number;
  readonly linesMax: number;
  readonly bytesMax: number;
}

export interface Page {
  readonly lines: readonly Line[];
  /** Lines in the whole file; null when the reading ended before. */
  readonly total: number | null;
  /** The wanted line is further on than a call may search. */
  readonly isTooFar?: true;
}

export interface Line {
  readonly bytes: Buffer;
  /** Bytes that were left out at its end. */
  readonly leftOut: number;
}

/** Most files fit into the first range; the ones that do not are read in larger pieces. */
const FIRST_BYTES = 262_144;
const RANGE_BYTES = 4_194_304;
const SCAN_BYTES_MAX = 2_147_483_648;
/** A line in a minified file can be as long as the file. */
const LINE_BYTES_MAX = 8192;

const LF = 10;

function lineReader({ first, linesMax, bytesMax }: Wanted) {
  const lines: Line[] = [];
  let number = 1;
  let shownBytes = 0;
  let pieces: Buffer[] = [];
  let [kept, leftOut, hasOpenLine] = [0, 0, false];

  const add = (piece: Buffer): void => {
    const room = LINE_BYTES_MAX - kept;
    const part = piece.subarray(0, room);
    if (part.length > 0) pieces.push(part);
    kept += part.length;
    leftOut += piece.length - part.length;
  };
  const close = (): void => {
    const bytes = Buffer.concat(pieces);
    lines.push({ bytes, leftOut });
    shownBytes += bytes.length + 8;
    [pieces, kept, leftOut] = [[], 0, 0];
  };
  const isFull = (): boolean => lines.length >= linesMax || shownBytes >= bytesMax;

  return {
    /** True when it has all it wants, and knows that there is a line after it. */
    take: (chunk: Buffer): boolean => {
      let at = 0;
      while (at < chunk.length) {
        if (isFull()) return true;
        const end = chunk.indexOf(LF, at);
        const stop = end === -1 ? chunk.length : end;
        if (number >= first) add(chunk.subarray(at, stop));
        hasOpenLine = end === -1;
        if (end !== -1) {
          if (number >= first) close();
          number += 1;
        }
        at = stop + 1;
      }
      return false;
    },
    page: (isEnd: boolean): Page => {
      if (isEnd && hasOpenLine && number >= first) close();
      return { lines, total: isEnd ? number - (hasOpenLine ? 0 : 1) : null };
    },
  };
}
