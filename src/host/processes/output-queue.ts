import type { Readable } from "node:stream";
import { type Clock, systemClock } from "../machine/clock.ts";

export interface OutputChunk {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Uint8Array;
}

export interface OutputQueue {
  /** For one consumer, once. Leaving the loop early drops the rest. */
  readonly output: AsyncIterable<OutputChunk>;
  /** Bytes dropped because of the limit. */
  droppedBytes(): number;
  /**
   * Call when the process has ended. Resolves when the consumer has read everything or has stopped reading; at once
   * without a consumer, in which case the output is kept for one.
   */
  drained(): Promise<void>;
}

/** Above this the pipes are not read, so that the process has to wait. */
export const OUTPUT_BUFFER_MAX_BYTES = 1024 * 1024;
/** The memory that a chunk needs beside its bytes: a million one-byte chunks take more than one megabyte. */
const CHUNK_COST_BYTES = 512;
/** More than the kernel buffers in the two pipes of an ended process. */
const PIPE_REST_MAX_BYTES = 1024 * 1024;
/**
 * A process that escaped from its tree may keep a pipe open. The pipe is closed after this silence, or after ten rounds
 * with output.
 */
const PIPE_IDLE_MAX_MS = 500;
const PIPE_IDLE_ROUNDS_MAX = 10;
/** A consumer that reads nothing for this long after the end no longer delays the exit report. */
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

  /**
   * `return` must work while a `next` is pending and before the first one, which a plain generator does not support.
   */
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
    // The first round only lets the event loop run: it may have been blocked for longer than a round.
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
    // A broken pipe counts as ended; without a listener it would crash the daemon.
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
