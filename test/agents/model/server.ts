import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { anthropicWire } from "./anthropic.ts";
import { chatWire } from "./chat.ts";
import { geminiWire } from "./gemini.ts";
import { responsesWire } from "./responses.ts";
import { nextReply, type Reply } from "./script.ts";
import { PAUSE, type Wire } from "./wire.ts";

/** A model on loopback that speaks four vendors' streaming formats and follows the prompt's script. */
export interface ScriptedModel extends AsyncDisposable {
  readonly url: string;
  /** Answers that have started and are paused. */
  readonly pausing: () => number;
  /** All requests and answers, for debugging an agent. */
  readonly story: () => readonly string[];
}

const WIRES: readonly Wire[] = [anthropicWire, chatWire, responsesWire, geminiWire];
const STORY_LINES_MAX = 2000;

export async function startModel(): Promise<ScriptedModel> {
  const story: string[] = [];
  const ending = new AbortController();
  let pausing = 0;
  let number = 0;

  const tell = (line: string): void => {
    if (story.length < STORY_LINES_MAX) story.push(line);
  };
  const pause = async (ms: number, response: ServerResponse): Promise<void> => {
    const over = new AbortController();
    const end = () => over.abort();
    response.once("close", end);
    ending.signal.addEventListener("abort", end);
    pausing += 1;
    await sleep(ms, undefined, { signal: over.signal }).catch(() => tell("  hung up during the pause"));
    pausing -= 1;
    ending.signal.removeEventListener("abort", end);
  };
  const answer = async (wire: Wire, path: string, body: unknown, response: ServerResponse): Promise<void> => {
    const asked = wire.read(body);
    const reply = nextReply(asked);
    number += 1;
    tell(`${path}: ${asked.said.length} said, ${asked.tools.length} tools -> ${brief(reply)}`);
    if (!wire.wantsStream(body, path)) {
      sendJson(response, 200, wire.whole(reply, body, number));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    for (const piece of wire.stream(reply, body, number)) {
      if (response.destroyed) return;
      if (piece === PAUSE) await pause(reply.is === "text" ? reply.pauseMs : 0, response);
      else response.write(piece);
    }
    response.end();
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "" } = request;
    const wire = WIRES.find(({ matches }) => matches(method, url));
    if (wire !== undefined) return answer(wire, url, await json(request), response);
    tell(`${method} ${url}: beside the script`);
    request.resume();
    // Lists of models, token counts, and agents' telemetry.
    if (/\/models(\?|$)/.test(url))
      sendJson(response, 200, { object: "list", data: [{ id: "scripted", object: "model" }] });
    else sendJson(response, 200, { input_tokens: 5, totalTokens: 5 });
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((thrown: unknown) => {
      tell(`${request.url}: ${String(thrown)}`);
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(thrown) } });
      else response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the system gave no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    pausing: () => pausing,
    story: () => story,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function brief(reply: Reply): string {
  const text = reply.is === "text" ? reply.text : `${reply.tool.name} ${JSON.stringify(reply.input)}`;
  return text.slice(0, 300).replaceAll("\n", " ");
}
