import { openFilesMax } from "../../host/index.ts";
import { type Settings, setting } from "../config/settings.ts";

/** Share of all open files for the port, and the same for the socket. The rest is for the log, processes and pipes. */
const SHARE = 0.25;

/**
 * The configured number of connections, reduced if open files could run out: a flood on the port would otherwise block the
 * owner's socket and stop every turn.
 */
export function connectionsMax(config: Settings, log: (message: string, details: object) => void): number {
  const wanted = setting(config, "connectionsMax");
  const openMax = openFilesMax();
  const possible = openMax === null ? wanted : Math.max(1, Math.floor(openMax * SHARE));
  if (possible < wanted)
    log("accepting fewer connections than configured, because the limit of open files is low", { possible, openMax });
  return Math.min(wanted, possible);
}
