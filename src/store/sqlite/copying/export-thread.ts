import { parentPort, workerData } from "node:worker_threads";
import { openSink } from "../../bundle/open-sink.ts";
import { writeBundle } from "../../bundle/write-bundle.ts";
import { createBlobs } from "../../files/blobs.ts";
import { failure } from "../../files/durable-file.ts";
import type { SignedSize } from "../../port.ts";
import { openForReading } from "../tables/schema.ts";
import { createStatements } from "../tables/statements.ts";
import type { ExportOptions, FromExport } from "./export-client.ts";
import { rawAfter } from "./raw-events.ts";

/** The thread of one export: reads pages, writes files, and requests checkpoints. It ends with the bundle. */
const port = parentPort;
if (port === null) throw new Error("an export is a worker thread");
const options = workerData as ExportOptions;
const say = (message: FromExport) => port.postMessage(message);

let answer: (checkpoint: SignedSize) => void = () => undefined;
port.on("message", (checkpoint: SignedSize) => answer(checkpoint));

const nextCheckpoint = (): Promise<SignedSize> => {
  const { promise, resolve } = Promise.withResolvers<SignedSize>();
  answer = resolve;
  say({ kind: "checkpoint" });
  return promise;
};

try {
  const db = openForReading(options.path);
  const sql = createStatements(db);
  const blobs = createBlobs(options.blobFolder);
  const sink = await openSink(options);
  const source = { rawAfter: async (seq: number, limit: number) => rawAfter(sql, seq, limit), blob: blobs.get };
  const report = await writeBundle(source, sink, nextCheckpoint, options.key).catch(async (cause: unknown) => {
    await sink.abandon();
    throw cause;
  });
  db.close();
  say({ kind: "done", report });
} catch (cause) {
  const { code, details } = failure(cause);
  say({ kind: "failed", code, details });
}
port.close();
