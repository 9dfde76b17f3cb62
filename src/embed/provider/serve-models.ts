import { randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ModelPiece, NomosOptions, ProgramModel, ProviderOptions } from "../options.ts";
import { modelRequest } from "./openai-request.ts";

export interface ServedModels {
  /** `models.providers` of the configuration. */
  readonly providers: { readonly [name: string]: ProviderOptions };
  readonly close: () => Promise<void>;
}

const BODY_BYTES_MAX = 67_108_864;
const KEY_HEADER = "x-nomos-program";

/**
 * Models that are functions of this program. The engine runs in another process and asks providers over HTTP, so they are
 * served on loopback, by the OpenAI chat protocol, to whoever has the key.
 */
export async function serveModels(given: NonNullable<NomosOptions["providers"]>): Promise<ServedModels> {
  const functions = new Map<string, ProgramModel>();
  const settings: Record<string, ProviderOptions> = {};
  for (const [name, provider] of Object.entries(given))
    if (typeof provider === "function") functions.set(name, provider);
    else settings[name] = provider;
  if (functions.size === 0) return { providers: settings, close: async () => undefined };
  const key = randomBytes(32).toString("hex");
  const server = createServer((request, response) => {
    answer(request, response, { key, functions }).catch((thrown: unknown) => fail(response, thrown));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  for (const name of functions.keys())
    settings[name] = {
      api: "openai-chat",
      baseUrl: `http://127.0.0.1:${port}/${encodeURIComponent(name)}`,
      headers: { [KEY_HEADER]: key },
    };
  return {
    providers: settings,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { key, functions }: { readonly key: string; readonly functions: ReadonlyMap<string, ProgramModel> },
): Promise<void> {
  const [, name = ""] = (request.url ?? "").split("/");
  const model = functions.get(decodeURIComponent(name));
  const shown = Buffer.from(String(request.headers[KEY_HEADER] ?? ""));
  if (model === undefined || shown.length !== key.length || !timingSafeEqual(shown, Buffer.from(key))) {
    response.writeHead(401).end();
    return;
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const asked = modelRequest(await bodyOf(request), gone.signal);
  const pieces = piecesOf(await model(asked));
  // Asked for its first piece before anything is sent: a function that fails at once is told by a status.
  let next = await pieces.next();
  response.writeHead(200, { "content-type": "text/event-stream" });
  const id = randomUUID();
  const send = (delta: object, reason: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    response.write(`data: ${JSON.stringify({ id, object: "chat.completion.chunk", model: asked.model, choices })}\n\n`);
  };
  let calls = 0;
  for (; next.done !== true; next = await pieces.next()) {
    if (gone.signal.aborted) return void (await pieces.return(undefined));
    send(deltaOf(next.value, calls));
    if (typeof next.value !== "string") calls += 1;
  }
  send({}, calls > 0 ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}

/** What the function gave, piece by piece. A program in JavaScript may give anything. */
async function* piecesOf(said: unknown): AsyncGenerator<ModelPiece> {
  if (typeof said === "string") return yield said;
  if (!isIterable(said)) throw new Error("the provider's function answered with neither text nor pieces");
  for await (const piece of said) {
    if (!isPiece(piece)) throw new Error("a piece of the provider's answer is neither text nor `{ call, input }`");
    yield piece;
  }
}

function isIterable(said: unknown): said is AsyncIterable<unknown> | Iterable<unknown> {
  return typeof said === "object" && said !== null && (Symbol.asyncIterator in said || Symbol.iterator in said);
}

function isPiece(piece: unknown): piece is ModelPiece {
  if (typeof piece === "string") return true;
  return typeof piece === "object" && piece !== null && "call" in piece && typeof piece.call === "string";
}

function deltaOf(piece: ModelPiece, at: number): object {
  if (typeof piece === "string") return { role: "assistant", content: piece };
  const { call: name, input = {} } = piece;
  const called = { name, arguments: JSON.stringify(input) };
  return { tool_calls: [{ index: at, id: `call_${randomUUID()}`, type: "function", function: called }] };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new Error("the request is too large");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Nothing of it is tried again: the program's own function failed, and would fail again. */
function fail(response: ServerResponse, thrown: unknown): void {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const error = JSON.stringify({ error: { message, type: "invalid_request_error", code: 400 } });
  if (response.headersSent) response.end(`data: ${error}\n\n`);
  else response.writeHead(400, { "content-type": "application/json" }).end(error);
}
