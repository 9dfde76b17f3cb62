import { closeSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { backup } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { copyBlobs } from "../../backup/copy-blobs.ts";
import { FILE_MODE, flushFiles } from "../../backup/flush-files.ts";
import { isErrno } from "../../files/durable-file.ts";
import { number } from "../../log/encoding.ts";
import { openLogFile } from "../opening/log-file.ts";
import { openForReading, translate } from "../tables/schema.ts";
import type { CopyOptions, FromCopy } from "./copy-client.ts";

/** The thread of one copy of the log. It ends with the copy. */
const port = parentPort;
if (port === null) throw new Error("a copy is a worker thread");
const { path, blobFolder, folder } = workerData as CopyOptions;
const say = (message: FromCopy) => port.postMessage(message);

const PAGES_A_TIME = 4096;

/**
 * Copies the whole file at one moment: an open read transaction fixes that moment, so that the writer neither waits nor
 * restarts the copy.
 */
async function copyLog(to: string): Promise<number> {
  const db = openForReading(path);
  try {
    db.exec("BEGIN");
    const events = number(db.prepare("SELECT coalesce(max(seq), 0) AS seq FROM events").get()?.["seq"]);
    closeSync(openSync(to, "wx", FILE_MODE));
    const pages = await backup(db, to, {
      rate: PAGES_A_TIME,
      progress: ({ totalPages, remainingPages }) =>
        say({ kind: "progress", done: totalPages - remainingPages, of: totalPages }),
    });
    say({ kind: "progress", done: pages, of: pages });
    return events;
  } finally {
    db.close();
  }
}

try {
  const to = join(folder, "log.db");
  const events = await copyLog(to);
  const file = openLogFile(to);
  const blobs = await copyBlobs(file.blobNames(), blobFolder, join(folder, "blobs")).finally(file.close);
  await flushFiles([to]);
  const { missing, ...copied } = blobs;
  say({
    kind: "done",
    copy: { events, blobs: copied.blobs, bytes: statSync(to).size + copied.bytes, missingBlobs: missing },
  });
} catch (cause) {
  const isFull = isErrno(cause, "ENOSPC", "EDQUOT");
  const { code, details } = translate(cause);
  say({ kind: "failed", code: isFull ? "disk_full" : code, details });
}
port.close();
