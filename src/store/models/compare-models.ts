import type { Definitions } from "../../domains/index.ts";
import type { List } from "../../kernel/index.ts";
import type { Difference, Repair } from "../log/write-request.ts";
import type { Progress, RebuildReport } from "../port.ts";
import { compareDerived } from "./compare-derived.ts";
import { compareStream } from "./compare-stream.ts";
import type { DerivedReads } from "./derived-reads.ts";

export type Comparison = RebuildReport & { readonly repair: Repair };

/** Compares all derived data with the log while the log grows. */
export async function compareModels(
  defined: Definitions,
  reads: DerivedReads,
  progress: Progress,
): Promise<Comparison> {
  const differences: Difference[] = [];
  const streams: Repair["streams"][number][] = [];
  // Read before the streams are listed: the stream of every row seen here is then in the list.
  const unexplained = new Map<string, { readonly list: List; readonly ids: Set<string> }>();
  for (const list of defined.lists) unexplained.set(list.name, { list, ids: await reads.storedIds(list) });
  const names = await reads.streams();
  let rows = 0;

  for (const [at, stream] of names.entries()) {
    const found = await compareStream(defined, reads, stream);
    rows += found.rows.length;
    for (const { list, id } of found.rows) unexplained.get(list)?.ids.delete(id);
    differences.push(...found.differences);
    if (found.differences.length > 0) streams.push(found.repair);
    if (at % 100 === 0) progress(at, names.length);
  }
  const remove: Repair["remove"][number][] = [];
  for (const { list, ids } of unexplained.values())
    for (const id of ids) if ((await reads.storedRow(list, id)) !== null) remove.push({ list: list.name, id });
  const derived = await compareDerived(reads);
  differences.push(
    ...remove.map(({ list, id }): Difference => ({ model: list, id, what: "extra" })),
    ...derived.differences,
  );
  const repair = {
    streams,
    remove,
    calls: derived.calls,
    blobs: derived.blobs,
    reindex: derived.reindex,
    recount: derived.recount,
  };
  return { ok: differences.length === 0, streams: names.length, rows, differences, repair };
}
