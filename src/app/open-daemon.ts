import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { closeInherited, findBubblewrap, reportBugs } from "../host/index.ts";
import { openHome, takeHome } from "../services/index.ts";
import type { Daemon, DaemonOptions } from "./daemon.ts";

/**
 * Opens the home first. While the log's writer thread opens the log and bubblewrap is tried out in a process, this thread
 * loads the rest of the daemon.
 */
export async function openDaemon(
  options: DaemonOptions,
  { startedAtMs, thread }: { readonly startedAtMs: number; readonly thread: Worker },
): Promise<Daemon> {
  if (options.ownsProcess === true) closeInherited();
  const endThread = async (thrown: unknown): Promise<never> => {
    await thread.terminate();
    throw thrown;
  };
  const locked = await takeHome(options).catch(endThread);
  if (options.ownsProcess === true) reportBugs(locked.redactor.text);
  const opening = openHome(locked, { ...options, thread }).catch(endThread);
  const before = { file: join(locked.home, "cache", "bubblewrap-works"), version: options.version };
  const bubblewrap = findBubblewrap(options.environment["PATH"] ?? "", before);
  try {
    const [opened, { buildDaemon }] = await Promise.all([opening, import("./daemon.ts")]);
    return await buildDaemon(options, { startedAtMs, opened, bubblewrap });
  } catch (thrown) {
    // The trial has a temporary folder to remove.
    await bubblewrap;
    throw thrown;
  }
}
