import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import type { Definitions } from "../../../domains/index.ts";
import { loadDefinitions } from "../../definitions.ts";
import type { WriteReply, WriteRequest } from "../../log/write-request.ts";
import { inspectLog } from "../opening/start-check.ts";
import { ensureLists } from "../tables/lists.ts";
import { leavesNothing, openForWriting, translate } from "../tables/schema.ts";
import { upgradeLog } from "../tables/upgrade.ts";
import { createCheckpoints, emptyWal } from "./checkpoints.ts";
import { createWriter } from "./writer.ts";
import { type FromWriter, packReply, type ToWriter, unpackRequest, type WriterOptions } from "./writer-messages.ts";

/** The thread that owns the write connection and its checkpoints. A failed flush ends it; a flush is never repeated. */
const port = ownPort();
const say = (message: FromWriter) => port.postMessage(message);

const BATCH_MAX = 1024;
/** A larger batch means constant load, where a checkpoint in the supposed pause would delay the next requests. */
const PAUSE_BATCH_MAX = 16;
const IDLE_MS = 100;
const HELD_BACK_EVERY_MS = 1000;

let receive = (message: ToWriter): void => {
  if (message.kind === "open") void open(message.options);
};
port.on("message", (message: ToWriter) => receive(message));

async function open(options: WriterOptions): Promise<void> {
  const defined = await loadDefinitions(options.definitions);
  orFatal(() => start(options, defined));
}

function start(options: WriterOptions, defined: Definitions): void {
  const db = openForWriting(options.path);
  inspectLog(db, defined);
  upgradeLog(db, options.blobFolder);
  ensureLists(db, defined.lists);
  const writer = createWriter(db, options.blobFolder, defined.lists);
  const checkpoints = createCheckpoints(db, options.checkpointPages);
  const whenIdle = (): void => {
    writer.scrubIfDue();
    checkpoints.whenIdle();
  };
  const heldBack = setInterval(() => orFatal(() => unlessPutOff(checkpoints.ifHeldBack)), HELD_BACK_EVERY_MS).unref();
  const idle = setTimeout(() => orFatal(() => unlessPutOff(whenIdle)), IDLE_MS);

  const commit = (requests: readonly WriteRequest[]): readonly WriteReply[] => {
    try {
      return writer.commit(requests);
    } catch (cause) {
      const error = translate(cause);
      if (!leavesNothing(error)) throw error;
      return requests.map(() => ({ refused: error.code, details: error.details }));
    }
  };
  const close = (): void => {
    clearTimeout(idle);
    clearInterval(heldBack);
    unlessPutOff(() => emptyWal(db));
    db.close();
    say({ kind: "closed" });
    port.close();
  };

  const serve = (first: ToWriter): void => {
    let flushed = 0;
    for (let message: ToWriter | undefined = first; message !== undefined; message = next()) {
      const { requests, closing } = drain(message);
      flushed = requests.length;
      if (flushed > 0) say({ kind: "done", replies: commit(requests).map(packReply) });
      if (closing) {
        close();
        return;
      }
      unlessPutOff(checkpoints.ifDue);
    }
    if (flushed <= PAUSE_BATCH_MAX) unlessPutOff(checkpoints.inPause);
    idle.refresh();
  };

  receive = (first) => orFatal(() => serve(first));
  say({ kind: "ready" });
}

/** Collects everything that arrived during the last flush into one batch. */
function drain(first: ToWriter): { readonly requests: readonly WriteRequest[]; readonly closing: boolean } {
  const requests: WriteRequest[] = [];
  for (let message: ToWriter | undefined = first; message !== undefined; message = next()) {
    if (message.kind === "close") return { requests, closing: true };
    if (message.kind === "batch") requests.push(...message.requests.map(unpackRequest));
    if (requests.length >= BATCH_MAX) break;
  }
  return { requests, closing: false };
}

function next(): ToWriter | undefined {
  const received: { readonly message: ToWriter } | undefined = receiveMessageOnPort(port);
  return received?.message;
}

/** Skips a checkpoint when the disk is full or locked; that only costs space. */
function unlessPutOff(work: () => unknown): void {
  try {
    work();
  } catch (cause) {
    const error = translate(cause);
    if (!leavesNothing(error)) throw error;
  }
}

function orFatal(work: () => void): void {
  try {
    work();
  } catch (cause) {
    const { code, details } = translate(cause);
    say({ kind: "fatal", code, details });
    port.close();
  }
}

function ownPort(): MessagePort {
  if (parentPort === null) throw new Error("the writer is a worker thread");
  return parentPort;
}
