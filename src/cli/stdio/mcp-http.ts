import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import type { Reached } from "../daemon/connect.ts";

export interface Exchange {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
}

export interface McpReached extends Reached {
  /** The toolsets to list, separated by commas; null: the default ones. */
  readonly toolsets: string | null;
}

/** One request to the daemon's /mcp. No timeout: a call may take as long as it needs. */
export function exchange({ url, token, socket, toolsets }: McpReached, asked: Exchange): Promise<IncomingMessage> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...(socket === null ? { hostname, port } : { socketPath: socket }),
        method: asked.method,
        path: toolsets === null ? "/mcp" : `/mcp?toolsets=${encodeURIComponent(toolsets)}`,
        headers: {
          host: `${hostname}:${port}`,
          authorization: `Bearer ${token}`,
          accept: asked.method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
          ...(asked.body === undefined ? {} : { "content-type": "application/json" }),
          ...asked.headers,
        },
        agent: false,
        ...(asked.signal === undefined ? {} : { signal: asked.signal }),
      },
      resolve,
    );
    sent.on("error", reject);
    sent.end(asked.body);
  });
}

/** The messages of an answer: those of an event stream as they arrive, or the single one. */
export async function* messagesOf(answer: IncomingMessage): AsyncGenerator<string> {
  const type = answer.headers["content-type"] ?? "";
  if (!type.startsWith("text/event-stream")) {
    const body = await text(answer);
    if (body !== "") yield body;
    return;
  }
  let rest = "";
  answer.setEncoding("utf8");
  for await (const chunk of answer) {
    const frames = (rest + String(chunk)).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const data = frame.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []));
      if (data.join("") !== "") yield data.join("\n");
    }
  }
}
