/**
 * The scripted model in a process of its own, so that it does not share its event loop with the client that is measured.
 * Prints its port. `GET /records?conversation=` hands out what it recorded, and forgets it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "./clock.ts";
import type { ModelRecord } from "./model.ts";
import { ChatRequest, type Chunks, chunksOf, type Reply, replyTo, wholeOf } from "./model-replies.ts";

const RECORDS_MAX = 100_000;
const CONVERSATIONS_MAX = 2000;
const BYTES_PER_TOKEN = 4;

const records: ModelRecord[] = [];
/** By conversation: tools and messages of its last request. */
const last = new Map<string, { readonly tools: string; readonly messages: Buffer }>();
let number = 0;

const server = createServer((request, response) => {
  const atMs = nowMs();
  serve(request, response, atMs).catch((thrown: unknown) => {
    console.error(`model: ${String(thrown)}`);
    if (response.headersSent) response.destroy();
    else sendJson(response, 400, { error: { message: String(thrown), type: "invalid_request_error" } });
  });
});
// A client that keeps its connection must not find it closed.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" && address !== null ? address.port : 0);
});
process.on("SIGTERM", () => process.exit(0));

async function serve(request: IncomingMessage, response: ServerResponse, atMs: number): Promise<void> {
  const url = new URL(request.url ?? "", "http://127.0.0.1");
  if (request.method === "POST" && url.pathname === "/v1/chat/completions") return answer(request, response, atMs);
  request.resume();
  if (url.pathname === "/records") return sendJson(response, 200, { records: taken(url.searchParams) });
  sendJson(response, 200, { object: "list", data: [{ id: "scripted", object: "model" }] });
}

function taken(query: URLSearchParams): readonly ModelRecord[] {
  const wanted = records.filter(({ conversation }) => conversation === query.get("conversation"));
  const rest = records.filter(({ conversation }) => conversation !== query.get("conversation"));
  records.splice(0, records.length, ...rest);
  return wanted;
}

async function answer(request: IncomingMessage, response: ServerResponse, atMs: number): Promise<void> {
  const body = await buffer(request);
  const readMs = nowMs();
  const asked = ChatRequest.parse(JSON.parse(body.toString("utf8")));
  const reply = replyTo(asked);
  const prompt = compared(asked, reply);
  number += 1;
  const usage = {
    promptTokens: Math.ceil(body.length / BYTES_PER_TOKEN),
    cachedTokens: Math.floor(prompt.cachedBytes / BYTES_PER_TOKEN),
  };
  let times = { firstMs: 0, lastMs: 0 };
  if (asked["stream"] === true) times = await stream(response, reply, chunksOf(reply, number, usage));
  else sendJson(response, 200, wholeOf(reply, number));
  if (records.length >= RECORDS_MAX) throw new Error("too many records: nobody takes them");
  const conversation = reply.task?.conversation ?? "";
  records.push({ conversation, reply: reply.is, atMs, readMs, bytes: body.length, ...prompt, ...times });
}

/** A provider's cache holds the tools, then the messages, up to the first byte that differs. */
function compared(
  { tools, messages }: ChatRequest,
  { is, task }: Reply,
): Pick<ModelRecord, "messageBytes" | "cachedBytes"> {
  const now = { tools: JSON.stringify(tools), messages: Buffer.from(JSON.stringify(messages)) };
  const messageBytes = now.messages.length;
  if (is === "aside" || task === null) return { messageBytes, cachedBytes: 0 };
  const before = last.get(task.conversation);
  last.set(task.conversation, now);
  const [oldest] = last.keys();
  if (last.size > CONVERSATIONS_MAX && oldest !== undefined) last.delete(oldest);
  const cachedBytes = before?.tools === now.tools ? commonBytes(before.messages, now.messages) : 0;
  return { messageBytes, cachedBytes };
}

/** By halves, because comparing byte by byte in JavaScript is slow for long sessions. */
function commonBytes(one: Buffer, other: Buffer): number {
  let same = 0;
  let above = Math.min(one.length, other.length) + 1;
  while (above - same > 1) {
    const middle = (same + above) >> 1;
    if (one.compare(other, same, middle, same, middle) === 0) same = middle;
    else above = middle;
  }
  return same;
}

async function stream(
  response: ServerResponse,
  reply: Reply,
  { head, pieces, tail }: Chunks,
): Promise<Pick<ModelRecord, "firstMs" | "lastMs">> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const { firstMs: waitMs, pieceMs } = reply.task ?? { firstMs: 0, pieceMs: 0 };
  if (reply.is !== "text" || (waitMs === 0 && pieceMs === 0)) {
    const firstMs = nowMs();
    response.end(`${head}${pieces.join("")}${tail}`);
    return { firstMs, lastMs: nowMs() };
  }
  response.write(head);
  const startMs = nowMs() + waitMs;
  let firstMs = 0;
  for (const [at, piece] of pieces.entries()) {
    // By the clock, so that late timers do not add up.
    const dueInMs = startMs + at * pieceMs - nowMs();
    if (dueInMs > 0) await sleep(dueInMs);
    if (response.destroyed) throw new Error("the client hung up");
    if (at === 0) firstMs = nowMs();
    response.write(piece);
  }
  response.end(tail);
  return { firstMs, lastMs: nowMs() };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
