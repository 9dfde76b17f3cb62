/**
 * The lines that a landing brought, and the turn of each. Kept as a blob that `landing.landed@1` names: it explains the
 * lines also when the session's own events are gone.
 */
export interface RecordedLines {
  readonly format: 1;
  readonly sessionId: string;
  /** The turns that wrote lines; elsewhere they are named by their place here. */
  readonly turns: readonly RecordedTurn[];
  readonly commits: readonly { readonly commit: string; readonly files: readonly RecordedFile[] }[];
}

export interface RecordedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** The event that ended it; of a turn that still ran, the one that started it. */
  readonly eventId: string;
  readonly agent: string;
  readonly model: string | null;
  /** Who answered the last question of the turn with yes; null when nobody did. */
  readonly approver: string | null;
}

export interface RecordedFile {
  readonly path: string;
  /** The turn that changed it last: for lines that are not listed. -1: a person. */
  readonly last: number;
  /** Lines in a row with one writer: the first one from 1, how many, the turn. -1: a person. */
  readonly runs: readonly (readonly [from: number, count: number, turn: number])[];
  /** Of the lines of the runs, in order, `lineHash` of each. */
  readonly hashes: string;
}

/** In hex digits. Half of a sha256: nobody finds another line with one of these hashes. */
export const LINE_HASH_DIGITS = 32;

/** What is hashed of a line: without its end, and without the `\r` that a checkout may add. */
export function hashedText(line: string): string {
  return `nomos line\n${line.endsWith("\r") ? line.slice(0, -1) : line}`;
}

export function recordedFile(
  path: string,
  last: number,
  lines: readonly { readonly line: number; readonly turn: number; readonly hash: string }[],
): RecordedFile {
  const runs: [number, number, number][] = [];
  for (const { line, turn } of lines) {
    const run = runs.at(-1);
    if (run !== undefined && run[2] === turn && run[0] + run[1] === line) run[1] += 1;
    else runs.push([line, 1, turn]);
  }
  return { path, last, runs, hashes: lines.map(({ hash }) => hash).join("") };
}

/** Finds the turn of a line among recorded ones. */
export interface LineFinder {
  /** In a commit as it was landed, by file and line; a line elsewhere in the file with the same text counts as well. */
  readonly at: (place: Place) => number | null;
  /** By text alone, in any commit; null when the landing brought no such line. */
  readonly byText: (hash: string) => number | null;
  readonly turn: (at: number) => RecordedTurn | null;
  /** All turns that wrote a line with this text. */
  readonly turns: (hash: string) => readonly RecordedTurn[];
}

export interface Place {
  readonly commit: string;
  readonly path: string;
  readonly line: number;
  readonly hash: string;
}

export function findLines({ turns, commits }: RecordedLines): LineFinder {
  const files = new Map<string, FoundFile>();
  const texts = new Map<string, number>();
  const all = new Map<string, Set<number>>();
  for (const { commit, files: changed } of commits)
    for (const file of changed) {
      const found = foundFile(file);
      files.set(`${commit} ${file.path}`, found);
      for (const [hash, turn] of found.texts) texts.set(hash, better(texts.get(hash), turn));
      for (const { turn, hash } of found.lines.values()) all.set(hash, (all.get(hash) ?? new Set()).add(turn));
    }
  return {
    at: ({ commit, path, line, hash }) => {
      const file = files.get(`${commit} ${path}`);
      if (file === undefined) return null;
      const placed = file.lines.get(line);
      return placed?.hash === hash ? placed.turn : (file.texts.get(hash) ?? file.last);
    },
    byText: (hash) => texts.get(hash) ?? null,
    turn: (at) => turns[at] ?? null,
    turns: (hash) => [...(all.get(hash) ?? [])].flatMap((at) => turns[at] ?? []),
  };
}

interface FoundFile {
  readonly last: number;
  readonly lines: ReadonlyMap<number, { readonly turn: number; readonly hash: string }>;
  readonly texts: ReadonlyMap<string, number>;
}

function foundFile({ last, runs, hashes }: RecordedFile): FoundFile {
  const lines = new Map<number, { readonly turn: number; readonly hash: string }>();
  const texts = new Map<string, number>();
  let at = 0;
  for (const [from, count, turn] of runs)
    for (let n = 0; n < count; n += 1) {
      const hash = hashes.slice(at, at + LINE_HASH_DIGITS);
      at += LINE_HASH_DIGITS;
      lines.set(from + n, { turn, hash });
      texts.set(hash, better(texts.get(hash), turn));
    }
  return { last, lines, texts };
}

/** Of two writers of the same text a turn counts before a person, and the later turn before the earlier one. */
function better(a: number | undefined, b: number): number {
  return a === undefined ? b : Math.max(a, b);
}
