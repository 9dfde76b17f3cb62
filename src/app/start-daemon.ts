import { join } from "node:path";
import { findBubblewrap } from "../host/index.ts";
import { openHome, takeHome } from "../services/index.ts";
import type { Daemon, DaemonOptions } from "./daemon.ts";

/**
 * Opens the home first. While the log's writer thread starts and bubblewrap is tried out in a process, this thread loads
 * the rest of the daemon.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const startedAtMs = Date.now();
  const locked = await takeHome(options);
  const opening = openHome(locked, options);
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
