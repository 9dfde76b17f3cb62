import type { DatabaseSync } from "node:sqlite";
import type { Progress, RebuildReport } from "../port.ts";
import { compareDerived } from "./compare-derived.ts";
import { compareStream } from "./compare-stream.ts";
import { text } from "./encoding.ts";
import type { Difference, Repair } from "./messages.ts";
import type { PageReads } from "./page-reads.ts";
import { MODEL_NAMES, storedIds, storedRow } from "./rows.ts";
import { createStatements } from "./statements.ts";

/** Compares all that is derived from the log with the log, while the log goes on growing. */
export function compareModels(
  db: DatabaseSync,
  reads: PageReads,
  progress: Progress,
): RebuildReport & { readonly repair: Repair } {
  const sql = createStatements(db);
  const differences: Difference[] = [];
  const streams: Repair["streams"][number][] = [];
  // Before the streams are listed: a row that is there has a stream that is there.
  const unexplained = new Map(MODEL_NAMES.map((model) => [model, storedIds(sql, model)]));
  const names = sql("SELECT name FROM streams ORDER BY no")
    .all()
    .map((row) => text(row["name"]));
  let rows = 0;

  for (const [at, stream] of names.entries()) {
    const found = compareStream(sql, reads, stream);
    rows += found.rows.length;
    for (const { model, id } of found.rows) unexplained.get(model)?.delete(id);
    differences.push(...found.differences);
    if (found.differences.length > 0) streams.push(found.repair);
    if (at % 100 === 0) progress(at, names.length);
  }
  const remove = [...unexplained].flatMap(([model, ids]) =>
    [...ids].filter((id) => storedRow(sql, model, id) !== null).map((id) => ({ model, id })),
  );
  const derived = compareDerived(sql, reads);
  differences.push(...remove.map((row): Difference => ({ ...row, what: "extra" })), ...derived.differences);
  const repair = { streams, remove, calls: derived.calls, blobs: derived.blobs, reindex: derived.reindex };
  return { ok: differences.length === 0, streams: names.length, rows, differences, repair };
}
