import type { Readable } from "node:stream";
import { type Clock, systemClock } from "../machine/clock.ts";

export interface OutputChunk {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Uint8Array;
}

export interface OutputQueue {
  /** For one consumer, once. Leaving the loop early means: throw the rest away. */
  readonly output: AsyncIterable<OutputChunk>;
  /** How much was left out because of the limit. */
  droppedBytes(): number;
  /**
   * To be called when the process has ended. Resolves when the consumer has taken everything; at once when there is
   * none (what was written waits for one); and when the consumer has stopped taking.
   */
  drained(): Promise<void>;
}

/** Above this the pipes are not read, and a process that goes on writing has to wait. */
export const OUTPUT_BUFFER_MAX_BYTES = 1024 * 1024;
/** What a chunk costs beside its bytes: a million chunks of one byte are not one megabyte. */
const CHUNK_COST_BYTES = 512;
/** More than the kernel keeps in the two pipes of an ended process. */
const PIPE_REST_MAX_BYTES = 1024 * 1024;
/** A process that escaped from its tree may hold a pipe open for ever, and silent or babbling: both are cut. */
const PIPE_IDLE_MAX_MS = 500;
const PIPE_IDLE_ROUNDS_MAX = 10;
/** A consumer that takes nothing for so long after the end no longer delays the news of it. */
const CONSUMER_IDLE_MAX_MS = 2_000;

export function createOutputQueue(
  stdout: Readable,
  stderr: Readable,
  limitBytes = Number.POSITIVE_INFINITY,
): OutputQueue {
  const clock = systemClock();
  const pipes = [stdout, stderr];
  const chunks: OutputChunk[] = [];
  const ended = Promise.withResolvers<void>();
  const consumed = Promise.withResolvers<void>();
  let arrival = Promise.withResolvers<void>();
  let consumer: "none" | "reading" | "done" = "none";
  let bufferMaxBytes = OUTPUT_BUFFER_MAX_BYTES;
  let queuedBytes = 0;
  let droppedBytes = 0;
  let receivedBytes = 0;
  let takenChunks = 0;

  function receive(stream: OutputChunk["stream"], bytes: Uint8Array): void {
    const roomBytes = Math.max(0, limitBytes - receivedBytes);
    receivedBytes += bytes.length;
    if (consumer === "done") return;
    const kept = bytes.subarray(0, roomBytes);
    droppedBytes += bytes.length - kept.length;
    if (kept.length === 0) return;
    chunks.push({ stream, bytes: kept });
    queuedBytes += kept.length + CHUNK_COST_BYTES;
    flow();
    announce();
  }

  function flow(): void {
    for (const pipe of pipes) {
      if (queuedBytes < bufferMaxBytes) pipe.resume();
      else pipe.pause();
    }
  }

  function announce(): void {
    arrival.resolve();
    arrival = Promise.withResolvers<void>();
  }

  async function* take(): AsyncGenerator<OutputChunk, void> {
    while (consumer !== "done") {
      const chunk = chunks.shift();
      if (chunk !== undefined) {
        queuedBytes -= chunk.bytes.length + CHUNK_COST_BYTES;
        takenChunks += 1;
        if (queuedBytes <= bufferMaxBytes / 2) flow();
        yield chunk;
      } else if (pipes.every((pipe) => pipe.closed)) {
        leave();
      } else {
        await arrival.promise;
      }
    }
  }

  function leave(): void {
    consumer = "done";
    chunks.length = 0;
    queuedBytes = 0;
    flow();
    announce();
    consumed.resolve();
  }

  /** `return` has to work also while a `next` is waiting, and before the first one: a bare generator's does not. */
  function consume(): AsyncIterator<OutputChunk, void> {
    if (consumer !== "none") throw new Error("the output of a process has one consumer");
    consumer = "reading";
    const taking = take();
    return {
      next: () => taking.next(),
      return: () => {
        leave();
        return taking.return();
      },
    };
  }

  async function drained(): Promise<void> {
    bufferMaxBytes += PIPE_REST_MAX_BYTES;
    flow();
    await pipesEnd();
    for (let before = -1; consumer === "reading" && before !== takenChunks; ) {
      before = takenChunks;
      await settledWithin(clock, consumed.promise, CONSUMER_IDLE_MAX_MS);
    }
  }

  async function pipesEnd(): Promise<void> {
    // The first round only lets the event loop turn: it may have been held up for longer than a round lasts.
    for (let round = 0, before = -1; round < PIPE_IDLE_ROUNDS_MAX && before !== receivedBytes; round += 1) {
      before = round === 0 ? -1 : receivedBytes;
      if (await settledWithin(clock, ended.promise, PIPE_IDLE_MAX_MS)) return;
    }
    for (const pipe of pipes) pipe.destroy();
    await ended.promise;
  }

  stdout.on("data", (bytes: Buffer) => receive("stdout", bytes));
  stderr.on("data", (bytes: Buffer) => receive("stderr", bytes));
  for (const pipe of pipes) {
    // A broken pipe is an ended one; without a listener it would end the daemon.
    pipe.on("error", () => pipe.destroy());
    pipe.once("close", () => {
      announce();
      if (pipes.every((other) => other.closed)) ended.resolve();
    });
  }
  return { output: { [Symbol.asyncIterator]: consume }, droppedBytes: () => droppedBytes, drained };
}

async function settledWithin(clock: Clock, promise: Promise<void>, ms: number): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const cancel = clock.after(ms, () => timeout.resolve(false));
  const settled = await Promise.race([promise.then(() => true), timeout.promise]);
  cancel();
  return settled;
}
