import type { Definitions } from "../../domains/index.ts";
import { canonicalJson, type Json, type List } from "../../kernel/index.ts";
import type { Difference, Repair } from "../log/write-request.ts";
import type { DerivedReads } from "./derived-reads.ts";
import { emptyFold, placed } from "./fold-events.ts";
import { isThere, mergeRow, type RowWrite, rowWrite, shownRow, type WholeRow } from "./rows.ts";

export interface StreamComparison {
  /** The rows that follow from the log. */
  readonly rows: readonly WholeRow[];
  readonly differences: readonly Difference[];
  readonly repair: Repair["streams"][number];
}

interface WrongRow {
  readonly row: WholeRow;
  readonly what: Difference["what"];
}

const PAGE = 1000;

/**
 * Folds a stream from its first event and compares its rows and fold snapshots. The rows are read in one short
 * transaction with the stream's version, once the fold has reached it; appends in between are folded first.
 */
export async function compareStream(
  defined: Definitions,
  reads: DerivedReads,
  stream: string,
): Promise<StreamComparison> {
  const lists = new Map<string, List>(defined.lists.map((list) => [list.name, list]));
  const merged = new Map<string, RowWrite>();
  const kept = await reads.snapshotVersions(stream);
  const wrongSnapshots: number[] = [];
  let folded = emptyFold(defined, stream);

  const catchUp = async (version: number): Promise<void> => {
    while (folded.state.version < version)
      for (const event of await reads.versions(stream, folded.state.version, version, PAGE)) {
        const next = defined.foldAll(stream, folded, [placed(defined, event)]);
        folded = next.folded;
        for (const change of next.rows) mergeRow(merged, rowWrite(change));
        if (kept.has(event.version) && !(await snapshotAgrees(event.version))) wrongSnapshots.push(event.version);
      }
  };
  const snapshotAgrees = async (version: number): Promise<boolean> => {
    const found = await reads.snapshotAt(stream, version);
    return found === null || (found.isWhole && same(found.state, JSON.stringify(folded)));
  };
  const compareRows = async (now: DerivedReads): Promise<readonly WrongRow[]> => {
    const wrong: WrongRow[] = [];
    for (const row of wholeRows(merged)) {
      const list = lists.get(row.list);
      const stored = list === undefined ? null : await now.storedRow(list, row.id);
      if (list === undefined || stored === null) wrong.push({ row, what: "missing" });
      else if (!(stored.isWhole && sameColumns(stored.columns, row.columns) && sameRow(list, stored.row, row.row)))
        wrong.push({ row, what: "differs" });
    }
    return wrong;
  };

  let wrongRows: readonly WrongRow[] | null = null;
  while (wrongRows === null) {
    await catchUp(await reads.version(stream));
    wrongRows = await reads.atOnce(async (now) =>
      (await now.version(stream)) === folded.state.version ? compareRows(now) : null,
    );
  }
  const differences = [
    ...wrongRows.map(({ row, what }): Difference => ({ model: row.list, id: row.id, what })),
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
  return [...merged.values()].filter(isThere);
}

function sameColumns(stored: readonly unknown[], computed: readonly unknown[]): boolean {
  return stored.every((column, at) => column === computed[at]);
}

/** Rows written before version 5 of the tables still hold the id of the last event. */
function sameRow(list: List, stored: string, computed: string): boolean {
  if (stored === computed) return true;
  const [left, right] = [stored, computed].map((row) => JSON.stringify(shownRow(list, row, null)));
  return same(left ?? "", right ?? "");
}

/** Compares as JSON: the order of members does not matter. Data that is not JSON fails its checksum anyway. */
function same(stored: string, computed: string): boolean {
  if (stored === computed) return true;
  const left: Json = JSON.parse(stored);
  const right: Json = JSON.parse(computed);
  return canonicalJson(left) === canonicalJson(right);
}
