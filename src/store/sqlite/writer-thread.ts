import { parentPort, workerData } from "node:worker_threads";
import { StoreError } from "../port.ts";
import type { FromWriter, ToWriter, WriterOptions } from "./messages.ts";
import { openForWriting, translate } from "./schema.ts";
import { createWriter } from "./writer.ts";

/** The thread that owns the write connection and its checkpoints. A failed flush ends it: a flush is never tried twice. */
const port = parentPort;
if (port === null) throw new Error("the writer is a worker thread");
const options = workerData as WriterOptions;
const say = (message: FromWriter) => port.postMessage(message);

try {
  const db = openForWriting(options.path);
  const writer = createWriter(db);
  const walPages = () => Number(db.prepare("PRAGMA wal_checkpoint(PASSIVE)").get()?.["log"] ?? 0);
  let commitsSinceCheckpoint = 0;
  let pagesWritten = 0;

  port.on("message", (message: ToWriter) => {
    if (message.kind === "close") {
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      db.close();
      say({ kind: "closed" });
      port.close();
      return;
    }
    try {
      say({ kind: "done", replies: writer.commit(message.requests) });
      commitsSinceCheckpoint += 1;
      pagesWritten += 4 * message.requests.length;
      if (pagesWritten < options.checkpointPages && commitsSinceCheckpoint < options.checkpointPages) return;
      walPages();
      commitsSinceCheckpoint = 0;
      pagesWritten = 0;
    } catch (cause) {
      const error = translate(cause);
      if (error.code === "disk_full") {
        say({ kind: "done", replies: message.requests.map(() => ({ refused: "disk_full", details: error.details })) });
        return;
      }
      say({ kind: "fatal", code: error.code, details: error.details });
      port.close();
    }
  });
  say({ kind: "ready" });
} catch (cause) {
  const error = cause instanceof StoreError ? cause : translate(cause);
  say({ kind: "fatal", code: error.code, details: error.details });
  port.close();
}
