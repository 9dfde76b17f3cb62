import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answering, Behaviour, WireUsage } from "./behaviour.ts";
import type { Format, FormatName } from "./format.ts";
import { anthropicFormat } from "./format-anthropic.ts";
import { bedrockFormat } from "./format-bedrock.ts";
import { chatFormat } from "./format-chat.ts";
import { geminiFormat } from "./format-gemini.ts";
import { responsesFormat } from "./format-responses.ts";
import { createPromptCache } from "./prompt-cache.ts";
import { scriptedAnswer } from "./scripted.ts";

/**
 * Models on loopback whose every answer a test decides, and that can fail in every way an endpoint fails. Without an order
 * for a request it follows the `@script` in the prompt, as the model of test/agents does.
 */
export interface ModelServer extends AsyncDisposable {
  /** Without a path. Base URLs: `/v1` for Anthropic, OpenAI, Mistral; `/v1beta` for Gemini; none for Bedrock. */
  readonly url: string;
  readonly port: number;
  /** The next requests, in this order. */
  readonly queue: (...behaviours: readonly Behaviour[]) => void;
  /** Forgets orders that no request came for. */
  readonly clear: () => void;
  /** Decides for requests that the queue has no order for; null: the script. */
  readonly decide: (choose: ((request: SeenRequest) => Behaviour | null) | null) => void;
  readonly requests: () => readonly SeenRequest[];
  /** Answers that have begun and not ended. */
  readonly answering: () => number;
}

export interface SeenRequest {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null when it is no JSON. */
  readonly body: unknown;
  readonly bytes: number;
  readonly format: FormatName | null;
  /** The same for requests over one connection. */
  readonly connection: number;
  /** True: the client closed the connection before the answer was complete. */
  readonly isCut: () => boolean;
}

export interface ModelServerOptions {
  /** Formats that are served; all of them unless it says so. Others get 404. */
  readonly wires?: readonly FormatName[];
  /** Names for `GET /models`; null: the endpoint has no list. */
  readonly models?: readonly string[] | null;
}

const FORMATS: readonly Format[] = [anthropicFormat, chatFormat, responsesFormat, geminiFormat, bedrockFormat];
const REQUESTS_KEPT_MAX = 5000;
const USAGE: WireUsage = { input: 100, output: 20, cacheRead: 40 };

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const served = FORMATS.filter(({ name }) => options.wires?.includes(name) ?? true);
  const seen: SeenRequest[] = [];
  const orders: Behaviour[] = [];
  const ending = new AbortController();
  const cache = createPromptCache();
  let choose: ((request: SeenRequest) => Behaviour | null) | null = null;
  let answering = 0;

  const usageFor = (behaviour: Answering, format: Format, body: unknown): WireUsage | null => {
    if (behaviour.usage !== undefined) return behaviour.usage;
    return format.name === "anthropic" ? cache(body, USAGE.output) : USAGE;
  };
  const respond = async (request: SeenRequest, format: Format, response: ServerResponse): Promise<void> => {
    const behaviour = orders.shift() ?? choose?.(request) ?? scriptedAnswer(format.name, request);
    if (behaviour.do !== "answer") return fail(behaviour, response);
    const usage = usageFor(behaviour, format, request.body);
    const events = format.events(behaviour, usage, seen.length);
    response.writeHead(200, { "content-type": format.contentType, "cache-control": "no-cache" });
    response.flushHeaders();
    if (behaviour.prefix !== undefined) response.write(behaviour.prefix);
    const shown = behaviour.breaks === undefined ? events : events.slice(0, behaviour.breaks.afterEvents);
    const { paceMs = 0, pauseMs = 0 } = behaviour;
    for (const [at, event] of shown.entries()) {
      const waitMs = paceMs + (at === Math.floor(shown.length / 2) ? pauseMs : 0);
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: ending.signal });
      if (response.destroyed) return;
      if (!response.write(event)) await drained(response);
    }
    if (behaviour.lingerMs !== undefined) await sleep(behaviour.lingerMs, undefined, { signal: ending.signal });
    finish(behaviour.breaks, format, response);
  };
  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = await buffer(message);
    const path = message.url ?? "";
    const format = served.find(({ matches }) => message.method === "POST" && matches(path.split("?")[0] ?? "")) ?? null;
    let isCut = false;
    response.once("close", () => {
      isCut = !response.writableFinished;
    });
    const request: SeenRequest = {
      atMs: performance.now(),
      ...{ method: message.method ?? "", path, body: jsonOf(bytes), bytes: bytes.length },
      headers: Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)])),
      format: format?.name ?? null,
      connection: message.socket.remotePort ?? 0,
      isCut: () => isCut,
    };
    if (seen.length < REQUESTS_KEPT_MAX) seen.push(request);
    if (format !== null) return respond(request, format, response);
    if (path.endsWith("/models") && options.models !== null) {
      const data = (options.models ?? ["scripted"]).map((id) => ({ id, object: "model" }));
      return sendJson(response, 200, { object: "list", data });
    }
    sendJson(response, 404, { detail: "Not Found" });
  };

  const server = createServer((message, response) => {
    answering += 1;
    response.once("close", () => {
      answering -= 1;
    });
    serve(message, response).catch((thrown: unknown) => {
      if (ending.signal.aborted || response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { message: `the model server: ${String(thrown)}`, type: "test_broken" } });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the system gave no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    queue: (...behaviours) => void orders.push(...behaviours),
    clear: () => {
      orders.length = 0;
      choose = null;
    },
    decide: (next) => {
      choose = next;
    },
    requests: () => seen,
    answering: () => answering,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Until the client has taken what was written, or is gone. */
async function drained(response: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  over.abort();
}

function finish(breaks: Answering["breaks"], format: Format, response: ServerResponse): void {
  switch (breaks?.by) {
    case "stall":
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "bytes":
      response.end(breaks.bytes);
      return;
    case "error":
      response.end(format.error(breaks.error));
      return;
    default:
      response.end();
  }
}

function fail(behaviour: Exclude<Behaviour, Answering>, response: ServerResponse): void {
  switch (behaviour.do) {
    case "status": {
      const { status, headers = {}, body = {} } = behaviour;
      const isText = typeof body === "string";
      response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json", ...headers });
      response.end(isText ? body : JSON.stringify(body));
      return;
    }
    case "html":
      response.writeHead(behaviour.status ?? 200, { "content-type": "text/html; charset=utf-8" });
      response.end("<!doctype html><html><head><title>Welcome to nginx!</title></head></html>");
      return;
    case "silence":
      return;
    case "hang_up":
      response.socket?.resetAndDestroy();
      return;
    case "bytes":
      response.writeHead(200, { "content-type": behaviour.contentType ?? "text/event-stream" });
      response.end(behaviour.bytes);
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}
