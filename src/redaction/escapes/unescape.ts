import { CUT_ESCAPE, createEscapeBytes, NO_ESCAPE, readEscape } from "./read-escape.ts";

/** Text without one level of its escapes. `starts[i]` and `ends[i]` say where byte i stood in the text it was made from. */
export interface Unescaped {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Where an escape begins that the text ends within, or the text's end. */
  readonly cutAt: number;
  /** How many levels of escapes were taken away: fewer than asked for when the text has no more. */
  readonly levels: number;
}

/** An escape that is cut off by the end of the text is kept as it is when `isFinal`; otherwise the result ends before it. */
function unescapeOnce(text: Uint8Array, from: number, to: number, isFinal: boolean): Unescaped {
  const bytes = new Uint8Array(to - from + 4);
  const starts = new Int32Array(bytes.length);
  const ends = new Int32Array(bytes.length);
  const out = createEscapeBytes();
  let length = 0;
  let levels = 0;
  let at = from;
  while (at < to) {
    const taken = readEscape(text, at, to, out);
    if (taken === CUT_ESCAPE && !isFinal) break;
    if (taken === NO_ESCAPE || taken === CUT_ESCAPE) {
      bytes[length] = text[at] ?? 0;
      starts[length] = at;
      ends[length] = at + 1;
      length += 1;
      at += 1;
      continue;
    }
    levels = 1;
    for (let k = 0; k < out.length; k += 1) {
      bytes[length] = out.bytes[k] ?? 0;
      starts[length] = at;
      ends[length] = at + taken;
      length += 1;
    }
    at += taken;
  }
  return { bytes, length, starts, ends, cutAt: at, levels };
}

/** As many levels as asked for, as far as the text has them, with the places in the first text. */
export function unescapeLevels(
  text: Uint8Array,
  from: number,
  to: number,
  levels: number,
  isFinal: boolean,
): Unescaped {
  let last = unescapeOnce(text, from, to, isFinal);
  while (last.levels > 0 && last.levels < levels) {
    const next = unescapeOnce(last.bytes, 0, last.length, isFinal);
    const deeper = composed(last, next);
    if (next.levels === 0) return { ...deeper, levels: last.levels };
    last = deeper;
  }
  return last;
}

function composed(lower: Unescaped, upper: Unescaped): Unescaped {
  const { starts, ends, length } = upper;
  for (let i = 0; i < length; i += 1) {
    starts[i] = lower.starts[starts[i] ?? 0] ?? 0;
    ends[i] = lower.ends[(ends[i] ?? 1) - 1] ?? 0;
  }
  const cutAt = upper.cutAt < lower.length ? (lower.starts[upper.cutAt] ?? lower.cutAt) : lower.cutAt;
  return { ...upper, cutAt, levels: lower.levels + 1 };
}
