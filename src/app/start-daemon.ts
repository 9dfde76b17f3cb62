import { startWriterThread } from "../store/index.ts";
import type { Daemon, DaemonOptions } from "./daemon.ts";

/** The log's writer thread loads its code while this thread loads the daemon's. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const startedAtMs = Date.now();
  const thread = startWriterThread();
  const { openDaemon } = await import("./open-daemon.ts");
  return openDaemon(options, { startedAtMs, thread });
}
