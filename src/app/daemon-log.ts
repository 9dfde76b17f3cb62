import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from "node:fs";
import { join } from "node:path";

export interface DaemonLog {
  readonly write: (message: string, details?: object) => void;
  readonly close: () => Promise<void>;
}

const FILE_BYTES_MAX = 10_485_760;
const FILES_KEPT = 3;

export function daemonLogPath(home: string): string {
  return join(home, "logs", "daemon.log");
}

/** The daemon's own log: a line of JSON each, in a file that is turned over when it is full. */
export function openDaemonLog(home: string, echo: (line: string) => void): DaemonLog {
  const path = daemonLogPath(home);
  mkdirSync(join(home, "logs"), { recursive: true, mode: 0o700 });
  let file = open(path);
  let size = sizeOf(path);
  return {
    write: (message, details = {}) => {
      const line = JSON.stringify({ at: new Date().toISOString(), message, ...details });
      size += line.length + 1;
      file.write(`${line}\n`);
      echo(line);
      if (size < FILE_BYTES_MAX) return;
      file.end();
      turnOver(path);
      file = open(path);
      size = 0;
    },
    close: () => new Promise((resolve) => file.end(resolve)),
  };
}

function open(path: string): WriteStream {
  const file = createWriteStream(path, { flags: "a", mode: 0o600 });
  // A log that cannot be written must not take the daemon along.
  file.on("error", () => undefined);
  return file;
}

function turnOver(path: string): void {
  for (let number = FILES_KEPT - 1; number >= 1; number -= 1) moveIfThere(`${path}.${number}`, `${path}.${number + 1}`);
  moveIfThere(path, `${path}.1`);
}

function moveIfThere(from: string, to: string): void {
  if (sizeOf(from) > 0) renameSync(from, to);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
