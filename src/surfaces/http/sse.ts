import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { StreamItem } from "../../syscalls/index.ts";
import { ANSWER_HEADERS } from "./answers.ts";

const KEEP_ALIVE_MS = 25_000;
/** A reader that accepts nothing for this long is cut off; it can reconnect with its cursor. */
const STALLED_MS = 60_000;

/** Server-sent events for one reader. Takes the next item only after the last was sent, so nothing piles up. */
export async function sendStream(
  items: AsyncIterable<StreamItem>,
  response: ServerResponse,
  abort: AbortController,
): Promise<void> {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    ...ANSWER_HEADERS,
    connection: "keep-alive",
    "x-accel-buffering": "no",
  });
  response.flushHeaders();
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": keep-alive\n\n");
  }, KEEP_ALIVE_MS);
  const onClose = () => abort.abort();
  response.once("close", onClose);
  try {
    for await (const item of items) {
      if (abort.signal.aborted) break;
      if (!response.write(encode(item))) await drained(response, abort);
    }
  } finally {
    clearInterval(keepAlive);
    response.off("close", onClose);
    response.end();
  }
}

function encode(item: StreamItem): string {
  const id = item.id === undefined ? "" : `id: ${item.id}\n`;
  return `${id}event: ${item.event}\ndata: ${JSON.stringify(item.data)}\n\n`;
}

async function drained(response: ServerResponse, abort: AbortController): Promise<void> {
  const timer = setTimeout(() => {
    abort.abort();
    response.destroy();
  }, STALLED_MS);
  try {
    await once(response, "drain", { signal: abort.signal });
  } catch (cause) {
    if (!abort.signal.aborted) throw cause;
  } finally {
    clearTimeout(timer);
  }
}
