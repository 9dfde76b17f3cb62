/** From, to: characters of a line that differ from the line it is compared with. */
export type Range = readonly [from: number, to: number];

export interface ChangedWords {
  readonly old: readonly Range[];
  readonly now: readonly Range[];
}

const WORDS_MAX = 200;
const LINE_CHARS_MAX = 2_000;
/** Lines that share less are not variants of one line: marks all over them say nothing. */
const SHARED_MIN = 0.3;

/** Which words of two lines differ. Null when the lines have too little in common, or are too long. */
export function changedWords(old: string, now: string): ChangedWords | null {
  if (old.length > LINE_CHARS_MAX || now.length > LINE_CHARS_MAX) return null;
  const [a, b] = [wordsOf(old), wordsOf(now)];
  if (a.length > WORDS_MAX || b.length > WORDS_MAX) return null;
  const [keptOld, keptNow] = commonWords(a, b);
  const shared = a.reduce((sum, word, at) => sum + (keptOld[at] === true ? word.trim().length : 0), 0);
  if (shared < SHARED_MIN * Math.max(old.trim().length, now.trim().length)) return null;
  return { old: rangesOf(a, keptOld), now: rangesOf(b, keptNow) };
}

function wordsOf(line: string): readonly string[] {
  return line.match(/[\p{L}\p{M}\p{N}_]+|\s+|./gsu) ?? [];
}

/** The longest common subsequence: for each word of both sides whether it is part of it. */
function commonWords(a: readonly string[], b: readonly string[]): readonly [readonly boolean[], readonly boolean[]] {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const [keptA, keptB] = [new Array<boolean>(a.length).fill(false), new Array<boolean>(b.length).fill(false)];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      [keptA[i], keptB[j]] = [true, true];
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return [keptA, keptB];
}

/** Neighbouring changed words are one range, also across a blank that stayed. */
function rangesOf(words: readonly string[], kept: readonly boolean[]): readonly Range[] {
  const ranges: [number, number][] = [];
  let from = 0;
  for (const [at, word] of words.entries()) {
    const isBridge = word.trim() === "" && kept[at - 1] === false && kept[at + 1] === false;
    const last = ranges.at(-1);
    if (kept[at] !== true || isBridge) {
      if (last !== undefined && last[1] === from) last[1] = from + word.length;
      else ranges.push([from, from + word.length]);
    }
    from += word.length;
  }
  return ranges;
}
