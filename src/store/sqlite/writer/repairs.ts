import type { DatabaseSync } from "node:sqlite";
import type { Repair } from "../../log/write-request.ts";
import type { RowWriter } from "../tables/rows.ts";

/** Rewrites derived data that differs from the log. Changes no events. */
export function createRepairs(
  db: DatabaseSync,
  rows: RowWriter,
  recount: () => void,
): (repair: Repair, versionOf: (stream: string) => number) => void {
  const dropSnapshot = db.prepare(
    "DELETE FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = ?) AND version = ?",
  );
  const putCall = db.prepare("INSERT OR REPLACE INTO calls(key, request, first, last) VALUES (?, ?, ?, ?)");
  const filled = db.prepare("UPDATE lists SET filled = 1");
  const putBlob = db.prepare("INSERT OR IGNORE INTO event_blobs(blob, seq) VALUES (?, ?)");

  return (repair, versionOf) => {
    if (repair.reindex) db.exec("REINDEX");
    for (const { list, id } of repair.remove) rows.write({ list, id, columns: [], row: null });
    const isStill = ({ stream, version }: Repair["streams"][number]) => versionOf(stream) === version;
    // A stream that has changed since the comparison has newer rows, but a damaged row may have seemed unchanged.
    for (const { put } of repair.streams.filter((found) => !isStill(found)))
      for (const row of put.flatMap((old) => rows.latest(old) ?? [])) rows.rewrite(row);
    const still = repair.streams.filter(isStill);
    for (const { stream, put, wrongSnapshots } of still) {
      for (const row of put) rows.rewrite(row);
      for (const wrong of wrongSnapshots) dropSnapshot.run(stream, wrong);
    }
    for (const { key, request, first, last } of repair.calls)
      putCall.run(Buffer.from(key, "hex"), Buffer.from(request, "hex"), first, last);
    for (const { blob, seq } of repair.blobs) putBlob.run(blob, seq);
    if (repair.recount) recount();
    if (still.length === repair.streams.length) filled.run();
  };
}
