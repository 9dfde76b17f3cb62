import { trustedUrl } from "../../live/index.ts";
import { createTextThread, type Port, type TextThread } from "./thread-client.ts";

let thread: TextThread | undefined;

/** The thread of this page, started when the first text asks for it. */
export function pageThread(): TextThread {
  thread ??= createTextThread({ start: startWorker });
  return thread;
}

function startWorker(): Port | null {
  if (typeof Worker === "undefined") return null;
  return new Worker(trustedUrl(NOMOS_WORKERS.text), { type: "module", name: "nomos-text" }) as Port;
}
