import { compareDerived } from "./compare-derived.ts";
import { compareStream } from "./compare-stream.ts";
import type { DerivedReads } from "./derived-reads.ts";
import type { Progress, RebuildReport } from "./port.ts";
import { MODEL_NAMES } from "./rows.ts";
import type { Difference, Repair } from "./write-request.ts";

export type Comparison = RebuildReport & { readonly repair: Repair };

/** Compares all that is derived from the log with the log, while the log goes on growing. */
export async function compareModels(reads: DerivedReads, progress: Progress): Promise<Comparison> {
  const differences: Difference[] = [];
  const streams: Repair["streams"][number][] = [];
  // Before the streams are listed: a row that is there has a stream that is there.
  const unexplained = new Map<(typeof MODEL_NAMES)[number], Set<string>>();
  for (const model of MODEL_NAMES) unexplained.set(model, await reads.storedIds(model));
  const names = await reads.streams();
  let rows = 0;

  for (const [at, stream] of names.entries()) {
    const found = await compareStream(reads, stream);
    rows += found.rows.length;
    for (const { model, id } of found.rows) unexplained.get(model)?.delete(id);
    differences.push(...found.differences);
    if (found.differences.length > 0) streams.push(found.repair);
    if (at % 100 === 0) progress(at, names.length);
  }
  const remove: Pick<Repair["remove"][number], "model" | "id">[] = [];
  for (const [model, ids] of unexplained)
    for (const id of ids) if ((await reads.storedRow(model, id)) !== null) remove.push({ model, id });
  const derived = await compareDerived(reads);
  differences.push(...remove.map((row): Difference => ({ ...row, what: "extra" })), ...derived.differences);
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
