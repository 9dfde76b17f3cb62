import type { DiffFile, DiffLine } from "./parse-diff.ts";

/** A row of the table of one file. `line` and `pair` are shown; a fold stands for lines that did not change. */
export type DiffRow =
  | { readonly is: "heading"; readonly text: string }
  | { readonly is: "line"; readonly line: DiffLine; readonly other: DiffLine | null }
  | { readonly is: "pair"; readonly old: DiffLine | null; readonly now: DiffLine | null }
  | { readonly is: "fold"; readonly key: string; readonly lines: readonly DiffLine[] };

/** Unchanged lines that stay visible on each side of a fold. */
const CONTEXT = 3;
/** A fold of fewer lines would save nothing. */
const FOLDED_MIN = 4;

export interface RowOptions {
  readonly sideBySide: boolean;
  /** Keys of folds that were opened. */
  readonly opened: ReadonlySet<string>;
}

/** The rows of a file, in order. Every line of the file is in exactly one of them. */
export function rowsOf({ hunks }: DiffFile, { sideBySide, opened }: RowOptions): readonly DiffRow[] {
  return hunks.flatMap(({ heading, lines }, hunk) => [
    { is: "heading", text: headingOf(lines, heading) },
    ...blocksOf(lines).flatMap((block) => {
      if (block.isChange) return sideBySide ? pairs(block.lines) : unified(block.lines);
      return contextRows(block, `${hunk}:${block.start}`, lines.length, { sideBySide, opened });
    }),
  ]);
}

export function linesIn(row: DiffRow): number {
  if (row.is === "heading") return 0;
  if (row.is === "line") return 1;
  if (row.is === "fold") return row.lines.length;
  if (row.old === row.now) return 1;
  return (row.old === null ? 0 : 1) + (row.now === null ? 0 : 1);
}

interface LineBlock {
  readonly isChange: boolean;
  readonly start: number;
  readonly lines: DiffLine[];
}

function blocksOf(lines: readonly DiffLine[]): readonly LineBlock[] {
  const blocks: LineBlock[] = [];
  for (const [at, line] of lines.entries()) {
    const isChange = line.sign !== " ";
    const last = blocks.at(-1);
    if (last?.isChange === isChange) last.lines.push(line);
    else blocks.push({ isChange, start: at, lines: [line] });
  }
  return blocks;
}

/** The n-th removed line of a change belongs to the n-th added one. */
function matched(lines: readonly DiffLine[]): { readonly old: readonly DiffLine[]; readonly now: readonly DiffLine[] } {
  return { old: lines.filter(({ sign }) => sign === "-"), now: lines.filter(({ sign }) => sign === "+") };
}

function unified(lines: readonly DiffLine[]): readonly DiffRow[] {
  const { old, now } = matched(lines);
  const others = new Map<DiffLine, DiffLine>();
  for (const [at, line] of old.entries()) {
    const other = now[at];
    if (other === undefined) break;
    others.set(line, other);
    others.set(other, line);
  }
  return lines.map((line) => ({ is: "line", line, other: others.get(line) ?? null }));
}

function pairs(lines: readonly DiffLine[]): readonly DiffRow[] {
  const { old, now } = matched(lines);
  const count = Math.max(old.length, now.length);
  return Array.from({ length: count }, (_, at) => ({ is: "pair", old: old[at] ?? null, now: now[at] ?? null }));
}

function contextRows(block: LineBlock, key: string, total: number, options: RowOptions): readonly DiffRow[] {
  const { lines, start } = block;
  const row = (line: DiffLine): DiffRow =>
    options.sideBySide ? { is: "pair", old: line, now: line } : { is: "line", line, other: null };
  const before = start === 0 ? 0 : CONTEXT;
  const after = start + lines.length === total ? 0 : CONTEXT;
  const folded = lines.length - before - after;
  // Three lines at the edge of a hunk are what git shows; only more than that is folded.
  if (folded < FOLDED_MIN || options.opened.has(key)) return lines.map(row);
  return [
    ...lines.slice(0, before).map(row),
    { is: "fold", key, lines: lines.slice(before, before + folded) },
    ...lines.slice(before + folded).map(row),
  ];
}

function headingOf(lines: readonly DiffLine[], heading: string): string {
  const first = lines.find(({ newNumber }) => newNumber !== null)?.newNumber ?? lines[0]?.oldNumber ?? 1;
  return heading === "" ? `Line ${first}` : `Line ${first}: ${heading}`;
}
