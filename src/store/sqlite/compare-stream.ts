import { crc32 } from "node:zlib";
import { canonicalJson, emptyFold, type Folded, foldAll, type Json } from "../../kernel/index.ts";
import { bytes, number } from "./encoding.ts";
import { placed } from "./folding.ts";
import type { Difference, Repair } from "./messages.ts";
import type { PageReads } from "./page-reads.ts";
import { mergeRow, type RowWrite, rowWrite, storedRow, type WholeRow } from "./rows.ts";
import type { Statement } from "./statements.ts";

export interface StreamComparison {
  /** What the log says there should be. */
  readonly rows: readonly WholeRow[];
  readonly differences: readonly Difference[];
  readonly repair: Repair["streams"][number];
}

interface WrongRow {
  readonly row: WholeRow;
  readonly what: Difference["what"];
}

type Sql = (source: string) => Statement;

const PAGE = 1000;

/**
 * Folds a stream from its first event and compares: rows with rows, kept folds with folds. Its rows are looked at in
 * one short transaction with its version, and only when the fold has reached that: an append in between is caught up.
 */
export function compareStream(sql: Sql, reads: PageReads, stream: string): StreamComparison {
  const merged = new Map<string, RowWrite>();
  const kept = snapshotVersions(sql, stream);
  const wrongSnapshots: number[] = [];
  let folded = emptyFold(stream);

  const catchUp = (version: number): void => {
    while (folded.state.version < version)
      for (const event of reads.versions(stream, folded.state.version, version, PAGE)) {
        const next = foldAll(stream, folded, [placed(event)]);
        folded = next.folded;
        for (const change of next.rows) mergeRow(merged, rowWrite(change));
        if (kept.has(event.version) && !snapshotAgrees(sql, stream, folded)) wrongSnapshots.push(event.version);
      }
  };
  const reached = (): boolean => reads.version(stream) === folded.state.version;
  const compareRows = (): readonly WrongRow[] =>
    wholeRows(merged).flatMap((row): readonly WrongRow[] => {
      const stored = storedRow(sql, row.model, row.id);
      if (stored === null) return [{ row, what: "missing" }];
      const agrees = stored.isWhole && sameColumns(stored.columns, row.columns) && same(stored.row, row.row);
      return agrees ? [] : [{ row, what: "differs" }];
    });

  let wrongRows: readonly WrongRow[] | null = null;
  while (wrongRows === null) {
    catchUp(reads.version(stream));
    wrongRows = reads.consistently(() => (reached() ? compareRows() : null));
  }
  const differences = [
    ...wrongRows.map(({ row, what }): Difference => ({ model: row.model, id: row.id, what })),
    ...wrongSnapshots.map((at): Difference => ({ model: "snapshot", id: `${stream}@${at}`, what: "differs" })),
  ];
  const put = wrongRows.map(({ row }) => row);
  return {
    rows: wholeRows(merged),
    differences,
    repair: { stream, version: folded.state.version, put, wrongSnapshots },
  };
}

function wholeRows(merged: ReadonlyMap<string, RowWrite>): readonly WholeRow[] {
  return [...merged.values()].filter((write) => "row" in write);
}

function snapshotVersions(sql: Sql, stream: string): ReadonlySet<number> {
  const found = sql("SELECT version FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = ?)").all(stream);
  return new Set(found.map((row) => number(row["version"])));
}

function snapshotAgrees(sql: Sql, stream: string, folded: Folded): boolean {
  const found = sql(
    "SELECT state, sum FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = ?) AND version = ?",
  ).get(stream, folded.state.version);
  if (found === undefined) return true;
  const state = bytes(found["state"]);
  return crc32(state) === found["sum"] && same(Buffer.from(state).toString(), JSON.stringify(folded));
}

function sameColumns(stored: readonly unknown[], computed: readonly unknown[]): boolean {
  return stored.every((column, at) => column === computed[at]);
}

/** By meaning: the order of members is not part of it. Bytes that are no JSON have a sum that does not fit. */
function same(stored: string, computed: string): boolean {
  if (stored === computed) return true;
  const left: Json = JSON.parse(stored);
  const right: Json = JSON.parse(computed);
  return canonicalJson(left) === canonicalJson(right);
}
