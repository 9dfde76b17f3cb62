import { Worker } from "node:worker_threads";

/**
 * The writer's thread, not yet on any log: it loads its code and waits to be told which one to open. Whoever starts it
 * hands it to `openStore`, or terminates it.
 */
export function startWriterThread(): Worker {
  return new Worker(new URL("./writer-thread.ts", import.meta.url));
}
