import { readFile } from "node:fs/promises";
import { ClientError } from "../../client/index.ts";
import { pause } from "../pause.ts";
import type { Terminal } from "../terminal.ts";
import { clientOf } from "./connect.ts";
import { type FoundDaemon, findDaemon, isRunning, readNote } from "./find-daemon.ts";

const DOWN_MAX_MS = 10_000;
const POLL_MS = 20;

/** Resolves with the stopped daemon once its process is gone; null when none ran. */
export async function stopDaemon(terminal: Terminal): Promise<FoundDaemon | null> {
  const answering = await findDaemon(terminal.home);
  const running = answering ?? (await deafDaemon(terminal.home));
  if (running === null) return null;
  if (answering === null) process.kill(running.pid, "SIGTERM");
  else {
    const client = await clientOf({ ...terminal, version: answering.version }, answering);
    await client.call("system.shutdown", {});
  }
  const untilMs = Date.now() + DOWN_MAX_MS;
  while (isRunning(running.pid) && (await isDaemon(running.pid))) {
    if (Date.now() > untilMs)
      throw new ClientError("process_unkillable", { details: { pid: running.pid, waitedMs: DOWN_MAX_MS } });
    await pause(POLL_MS);
  }
  return running;
}

/** Stops a daemon that runs but does not answer. The pid is verified first: the file may be old and the pid reused. */
async function deafDaemon(home: string): Promise<FoundDaemon | null> {
  const note = await readNote(home);
  return note !== null && isRunning(note.pid) && (await isDaemon(note.pid)) ? note : null;
}

async function isDaemon(pid: number): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return /nomos(\.js)?\0(.*\0)?up\0/s.test(commandLine);
}
