import { parentPort, workerData } from "node:worker_threads";
import { loadDefinitions } from "../../definitions.ts";
import { compareModels } from "../../models/compare-models.ts";
import { StoreError } from "../../port.ts";
import { createPageReads } from "../reads/page-reads.ts";
import { openForReading, translate } from "../tables/schema.ts";
import { createDerivedReads } from "./derived-reads.ts";
import type { FromReader, ReaderOptions, ToReader } from "./reader-messages.ts";
import { discardSearchIndex, openSearchIndex, type SearchIndex } from "./search-index.ts";
import { verifyLog } from "./verify.ts";

/** The thread for long reads: search, verification, comparison of read models with the log. */
const port = parentPort;
if (port === null) throw new Error("the reader is a worker thread");
const options = workerData as ReaderOptions;
const say = (message: FromReader) => port.postMessage(message);

const defined = await loadDefinitions(options.definitions);
const db = openForReading(options.path);
const reads = createPageReads(db);
let opened: SearchIndex | null = null;

/** Opened at first use, so that a log with damage at the index's cursor can still be verified. */
const index = (): SearchIndex => {
  opened ??= openSearchIndex(options.searchPath, reads, defined);
  return opened;
};
const discard = (): void => {
  opened?.close();
  opened = null;
  discardSearchIndex(options.searchPath);
};
/** Errors of the log go to the caller. A damaged index file is deleted and rebuilt. */
const withIndex = <T>(work: (index: SearchIndex) => T): T => {
  try {
    return work(index());
  } catch (cause) {
    if (cause instanceof StoreError || translate(cause).code !== "log_corrupt") throw cause;
    discard();
    return work(index());
  }
};
/** Erased words must go: if they cannot be removed, the whole index is deleted. */
const forget = (seqs: readonly number[]): void => {
  try {
    index().forget(seqs);
  } catch {
    discard();
  }
};

const answer = (message: Exclude<ToReader, { kind: "close" }>): unknown => {
  const progress = (done: number, of: number) => say({ kind: "progress", ask: message.ask, done, of });
  switch (message.kind) {
    case "position":
      return withIndex((found) => found.position());
    case "advance":
      return withIndex((found) => found.advance());
    case "restart":
      return discard();
    case "forget":
      return forget(message.seqs);
    case "search":
      return withIndex((found) => found.search(message.text, message.limit, message.of));
    case "verify":
      return verifyLog(db, progress);
    case "counts": {
      const list = defined.lists.find(({ name }) => name === message.list);
      return list === undefined ? {} : reads.counts(list, message.by, message.where);
    }
    case "rebuild":
      return compareModels(defined, createDerivedReads(db, reads, options.blobFolder), progress);
  }
};

port.on("message", async (message: ToReader) => {
  if (message.kind === "close") {
    opened?.close();
    db.close();
    say({ kind: "closed" });
    port.close();
    return;
  }
  try {
    say({ kind: "answer", ask: message.ask, value: await answer(message) });
  } catch (cause) {
    const { code, details } = translate(cause);
    say({ kind: "failed", ask: message.ask, code, details });
  }
});
