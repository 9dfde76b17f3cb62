import type { Definitions, Folded } from "../../../domains/index.ts";
import { checkHead, FOLD_PAGE, firstFold, foldOn } from "../../models/fold-events.ts";
import { inTransaction, ONE_MOMENT } from "../connection/transaction.ts";
import { createPageReads, type PageReads } from "./page-reads.ts";
import type { Use } from "./reader.ts";

/** Folds a stream up to a version: from the nearest fold snapshot and the events after it. */
export async function foldStream(
  defined: Definitions,
  reads: Pick<PageReads, "versions" | "snapshot">,
  stream: string,
  atVersion: number,
  from?: Folded,
): Promise<Folded> {
  let folded = from ?? firstFold(defined, stream, atVersion === 0 ? null : await reads.snapshot(stream, atVersion));
  while (folded.state.version < atVersion) {
    const events = await reads.versions(stream, folded.state.version, atVersion, FOLD_PAGE);
    folded = foldOn(defined, stream, folded, events, atVersion);
  }
  return folded;
}

/** Folds without a cached fold, and checks that the stream ends where its counter says; all reads see one moment. */
export function foldCold(defined: Definitions, use: Use, stream: string): Promise<Folded> {
  return use((connection) =>
    inTransaction(
      connection,
      async () => {
        const reads = createPageReads(connection.query);
        const folded = await foldStream(defined, reads, stream, await reads.version(stream));
        checkHead(stream, folded, (await reads.usage(stream)).events);
        return folded;
      },
      ONE_MOMENT,
    ),
  );
}
