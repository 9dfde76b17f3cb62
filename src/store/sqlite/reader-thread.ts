import { parentPort, workerData } from "node:worker_threads";
import type { FromReader, ReaderOptions, ToReader } from "./messages.ts";
import { createPageReads } from "./page-reads.ts";
import { compareModels } from "./rebuild.ts";
import { openForReading, translate } from "./schema.ts";
import { openSearchIndex } from "./search-index.ts";
import { verifyLog } from "./verify.ts";

/** The thread for reading that takes long: full text, verification, comparison of the read models with the log. */
const port = parentPort;
if (port === null) throw new Error("the reader is a worker thread");
const options = workerData as ReaderOptions;
const say = (message: FromReader) => port.postMessage(message);

const db = openForReading(options.path);
const reads = createPageReads(db);
const index = openSearchIndex(options.searchPath, reads);
let indexing = false;

const indexSoon = (): void => {
  if (indexing) return;
  indexing = true;
  setImmediate(indexPage);
};
const indexPage = (): void => {
  if (!indexing) return;
  if (index.advance()) setImmediate(indexPage);
  else indexing = false;
};

const answer = (message: Exclude<ToReader, { kind: "index" | "close" }>): unknown => {
  const progress = (done: number, of: number) => say({ kind: "progress", ask: message.ask, done, of });
  switch (message.kind) {
    case "search":
      return index.search(message.text, message.limit);
    case "verify":
      return verifyLog(db, progress);
    case "rebuild":
      return compareModels(db, reads, progress);
  }
};

port.on("message", (message: ToReader) => {
  if (message.kind === "index") return indexSoon();
  if (message.kind === "close") {
    indexing = false;
    index.close();
    db.close();
    say({ kind: "closed" });
    return port.close();
  }
  try {
    say({ kind: "answer", ask: message.ask, value: answer(message) });
  } catch (cause) {
    const { code, details } = translate(cause);
    say({ kind: "failed", ask: message.ask, code, details });
  }
});
