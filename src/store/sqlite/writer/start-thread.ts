import { Worker } from "node:worker_threads";

/** What the thread makes dies with its batch. By default V8 would let that grow to 48 MB before it collects. */
const YOUNG_MB = 6;

/**
 * The writer's thread, not yet on any log: it loads its code and waits to be told which one to open. Whoever starts it
 * hands it to `openStore`, or terminates it.
 */
export function startWriterThread(): Worker {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
  return new Worker(new URL("./writer-thread.ts", import.meta.url), { resourceLimits });
}
