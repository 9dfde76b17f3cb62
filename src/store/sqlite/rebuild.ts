import type { DatabaseSync } from "node:sqlite";
import { canonicalJson, emptyFold, type Folded, foldAll, type Json, type Model } from "../../kernel/index.ts";
import type { Progress, RebuildReport } from "../port.ts";
import { bytes, number, text } from "./encoding.ts";
import { placed } from "./folding.ts";
import type { Repair } from "./messages.ts";
import type { PageReads } from "./page-reads.ts";
import { checkedRow, MODEL_NAMES, MODELS, mergeRow, type RowWrite, rowWrite } from "./rows.ts";
import { createStatements, type Statement } from "./statements.ts";

const PAGE = 1000;

export type Difference = RebuildReport["differences"][number];

/**
 * Folds every stream from its first event and compares: rows with rows, kept folds with folds. The log may grow
 * meanwhile: a stream's rows are looked at in one short transaction with its version, and only when that is reached.
 */
export function compareModels(
  db: DatabaseSync,
  reads: PageReads,
  progress: Progress,
): { readonly streams: number; readonly rows: number } & Pick<RebuildReport, "differences"> &
  Pick<Repair, "remove"> & { readonly repairs: Repair["streams"] } {
  const sql = createStatements(db);
  const differences: Difference[] = [];
  const repairs: Repair["streams"][number][] = [];
  // Before the streams are listed: a row that is there has a stream that is there.
  const unexplained = new Map(MODEL_NAMES.map((model) => [model, idsOf(sql, model)]));
  const names = sql("SELECT name FROM streams ORDER BY no").all().map((row) => text(row["name"]));
  let rows = 0;

  for (const [at, stream] of names.entries()) {
    const found = compareStream(db, sql, reads, stream);
    rows += found.rows.length;
    for (const { model, id } of found.rows) unexplained.get(model)?.delete(id);
    differences.push(...found.differences);
    if (found.differences.length > 0) repairs.push(found.repair);
    if (at % 100 === 0) progress(at, names.length);
  }
  const remove = [...unexplained].flatMap(([model, ids]) =>
    [...ids].filter((id) => columnsOf(sql, model, id) !== null).map((id) => ({ model, id })),
  );
  differences.push(...remove.map(({ model, id }): Difference => ({ model, id, what: "extra" })));
  return { streams: names.length, rows, differences, repairs, remove };
}

function compareStream(db: DatabaseSync, sql: Sql, reads: PageReads, stream: string) {
  const rows = new Map<string, RowWrite>();
  const wrongSnapshots: number[] = [];
  const differences: Difference[] = [];
  const put: RowWrite[] = [];
  let folded = emptyFold(stream);

  const catchUp = (version: number): void => {
    while (folded.state.version < version) {
      for (const event of reads.versions(stream, folded.state.version, version, PAGE)) {
        const next = foldAll(stream, folded, [placed(event)]);
        folded = next.folded;
        for (const change of next.rows) mergeRow(rows, rowWrite(change));
        if (!snapshotAgrees(sql, stream, folded)) wrongSnapshots.push(event.version);
      }
    }
  };
  const compareRows = (): void => {
    for (const write of rows.values()) {
      if (!("row" in write)) continue;
      const stored = columnsOf(sql, write.model, write.id);
      if (stored !== null && stored.isWhole && sameColumns(stored.columns, write.columns) && same(stored.row, write.row))
        continue;
      differences.push({ model: write.model, id: write.id, what: stored === null ? "missing" : "differs" });
      put.push(write);
    }
  };

  for (let isReached = false; !isReached; ) {
    catchUp(reads.version(stream));
    db.exec("BEGIN");
    try {
      isReached = reads.version(stream) === folded.state.version;
      if (isReached) compareRows();
    } finally {
      db.exec("COMMIT");
    }
  }
  for (const version of wrongSnapshots)
    differences.push({ model: "snapshot", id: `${stream}@${version}`, what: "differs" });
  const kept = [...rows.values()].filter((write) => "row" in write);
  return { rows: kept, differences, repair: { stream, version: folded.state.version, put, wrongSnapshots } };
}

type Sql = (source: string) => Statement;

function snapshotAgrees(sql: Sql, stream: string, folded: Folded): boolean {
  const found = sql(
    "SELECT state FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = ?) AND version = ?",
  ).get(stream, folded.state.version);
  return found === undefined || same(Buffer.from(bytes(found["state"])).toString(), JSON.stringify(folded));
}

function idsOf(sql: Sql, model: Model): Set<string> {
  return new Set(sql(`SELECT id FROM ${MODELS[model].table}`).all().map((row) => String(row["id"])));
}

/** A stored row with the columns beside it; damaged ones too, since it is here that they are found. */
function columnsOf(sql: Sql, model: Model, id: string) {
  const { table, columns } = MODELS[model];
  const found = sql(`SELECT * FROM ${table} WHERE id = ?`).get(id);
  if (found === undefined) return null;
  const row = String(found["row"]);
  return { columns: columns.map((name) => found[name]), row, isWhole: isWhole(model, found) };
}
