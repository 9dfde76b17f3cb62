import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { WebSocket } from "ws";
import { ClientError, catalogued, errorIn } from "../../client/index.ts";
import { memberOf } from "../../kernel/index.ts";
import type { Reached } from "../daemon/connect.ts";
import { pause } from "../pause.ts";
import { parsed } from "./mcp-message.ts";
import { readLines } from "./read-lines.ts";
import { writeLine } from "./write-line.ts";

export interface Pipe {
  readonly input: Readable;
  readonly output: Writable;
}

const LINE_BYTES_MAX = 24_000_000;
const UNSENT_BYTES_MAX = 1_048_576;
const NORMAL = 1000;
/** Extra time after `waitMs` for the daemon to cancel calls; then this process ends without it. */
const DAEMON_GRACE_MS = 5_000;

export interface Piped {
  /** Calls that were cancelled because they took too long after the end of the input. */
  readonly cancelled: number;
}

/**
 * Sends each line as a frame and writes each frame as a line. After the end of the input the daemon cancels running calls
 * when none was answered for `waitMs`: a call that waits for a person would otherwise keep this process alive for ever.
 */
export async function pipeRpc(reached: Reached, pipe: Pipe, waitMs: number): Promise<Piped> {
  const socket = await connected(reached);
  const gone = once(socket, "close").then(() => null);
  const endId = `end-${randomUUID()}`;
  const { ended, written, answeredAtMs } = writeFrames(socket, pipe.output, endId);
  const over = new AbortController();
  const sent = sendLines(socket, pipe, { id: endId, method: "end", params: { waitMs } });
  const late = sent.then(() => silence(answeredAtMs, waitMs + DAEMON_GRACE_MS, over.signal)).then(() => null);
  const piped = await Promise.race([sent.then(() => ended), gone, late]);
  over.abort();
  const isClosed = socket.readyState !== WebSocket.OPEN;
  pipe.input.destroy();
  if (piped === null) socket.terminate();
  else socket.close(NORMAL);
  await gone;
  await written();
  if (piped !== null) return piped;
  throw new ClientError("daemon_unreachable", {
    status: 0,
    message: isClosed
      ? "The daemon has closed the connection; calls without an answer may have been carried out or not."
      : "The daemon does not answer; calls without an answer may have been carried out or not.",
    remedy: "Run `nomos restart`, then repeat the calls with the same keys.",
  });
}

/** Resolves when no answer has come for `ms`. */
async function silence(answeredAtMs: () => number, ms: number, signal: AbortSignal): Promise<void> {
  const endedMs = performance.now();
  const leftMs = (): number => Math.max(endedMs, answeredAtMs()) + ms - performance.now();
  while (leftMs() > 0 && !signal.aborted) await pause(leftMs(), signal);
}

async function connected({ url, token, socket: path }: Reached): Promise<WebSocket> {
  const address = path === null ? `${url.replace(/^http/, "ws")}/api/ws` : `ws+unix://${path}:/api/ws`;
  const socket = new WebSocket(address, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    maxPayload: 0,
  });
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  socket.once("open", () => resolve(socket));
  socket.once("unexpected-response", (_request, answer: IncomingMessage) => {
    text(answer).then((body) => reject(errorIn(answer.statusCode ?? 0, body)), reject);
  });
  socket.on("error", (cause) => reject(new ClientError("daemon_unreachable", { status: 0, cause })));
  return promise;
}

async function sendLines(socket: WebSocket, { input, output }: Pipe, end: object): Promise<void> {
  for await (const line of readLines(input, LINE_BYTES_MAX)) {
    if (socket.readyState !== WebSocket.OPEN) return;
    if ("tooLong" in line) await writeLine(output, tooLong());
    else await send(socket, line.bytes);
  }
  await send(socket, Buffer.from(JSON.stringify(end)));
}

/** Invalid UTF-8 is sent as bytes: the daemon then refuses that message instead of closing the connection. */
function send(socket: WebSocket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    socket.send(bytes, { binary: !isUtf8(bytes) }, () => resolve());
    if (socket.bufferedAmount <= UNSENT_BYTES_MAX) resolve();
  });
}

interface Frames {
  /** Resolves when the daemon has answered everything. */
  readonly ended: Promise<Piped>;
  readonly written: () => Promise<void>;
  /** Time of the last answer; now, while our own output is still being read. */
  readonly answeredAtMs: () => number;
}

function writeFrames(socket: WebSocket, output: Writable, endId: string): Frames {
  const { promise: ended, resolve } = Promise.withResolvers<Piped>();
  let writing = Promise.resolve();
  let waiting = 0;
  let lastMs = 0;
  socket.on("message", (data) => {
    const frame = String(data);
    if (frame.startsWith(`{"id":"${endId}"`)) return resolve({ cancelled: cancelledIn(frame) });
    if (frame.startsWith('{"id":')) lastMs = performance.now();
    waiting += 1;
    socket.pause();
    writing = writing
      .then(() => writeLine(output, frame))
      .finally(() => {
        waiting -= 1;
        if (waiting === 0) socket.resume();
      });
  });
  return { ended, written: () => writing, answeredAtMs: () => (waiting > 0 ? performance.now() : lastMs) };
}

function cancelledIn(frame: string): number {
  return Number(memberOf(memberOf(parsed(frame), "result"), "cancelled")) || 0;
}

function tooLong(): string {
  const { message, remedy } = catalogued("payload_too_large");
  const details = { lineBytesMax: LINE_BYTES_MAX };
  return JSON.stringify({ id: null, error: { code: "payload_too_large", message, remedy, details } });
}
