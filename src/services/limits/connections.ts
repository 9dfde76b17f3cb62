import { openFilesMax } from "../../host/index.ts";
import { type Settings, setting } from "../config/settings.ts";

/** The port and the socket each have this share of all open files; the rest is for the log, processes and their pipes. */
const SHARE = 0.25;

/**
 * The configured number of connections, but never so many that open files run out: a flood on the port would otherwise
 * keep the owner out of the socket and stop every turn.
 */
export function connectionsMax(config: Settings, log: (message: string, details: object) => void): number {
  const wanted = setting(config, "connectionsMax");
  const openMax = openFilesMax();
  const possible = openMax === null ? wanted : Math.max(1, Math.floor(openMax * SHARE));
  if (possible < wanted)
    log("accepting fewer connections than configured, because the limit of open files is low", { possible, openMax });
  return Math.min(wanted, possible);
}
