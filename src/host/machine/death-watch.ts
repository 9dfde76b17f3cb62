import { spawn } from "node:child_process";
import { closeSync, constants, openSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { UNREACHABLE, unless } from "../errno.ts";

/** When the previous daemon ended, in whatever way. */
export interface DeathWatch {
  /** Null when unknown. */
  readonly lastDeathMs: number | null;
  readonly stop: () => void;
}

/**
 * A shell that waits for the end of a pipe, which the system closes when the daemon dies, even by `kill -9`. It runs in
 * the background without a path or environment, so that searches for the daemon's or a session's processes do not find
 * it.
 */
const WAIT = "(read -r _ <&4; printf . >&3) &";
const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * The file's modification time is the time of the last end. Changes in a directory after it were not made by our
 * agents. If the file cannot be written, the time is unknown, and later changes count for the interrupted turn.
 */
export function watchDeath(file: string): DeathWatch {
  const lastDeathMs = unless(UNREACHABLE, () => statSync(file).mtimeMs);
  const noted = unless(UNWRITABLE, () => openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0o600));
  if (noted === null) return { lastDeathMs, stop: () => undefined };
  const watcher = spawn("/bin/sh", ["-c", WAIT], {
    stdio: ["ignore", "ignore", "ignore", noted, "pipe"],
    detached: true,
    env: {},
    cwd: "/",
  });
  closeSync(noted);
  const end = watcher.stdio[4];
  watcher.on("error", () => undefined);
  end?.on("error", () => undefined);
  watcher.unref();
  if (end instanceof Socket) end.unref();
  return { lastDeathMs, stop: () => void end?.destroy() };
}

const UNWRITABLE = [...UNREACHABLE, "EISDIR", "ENXIO", "ENOSPC", "EDQUOT", "EROFS", "EPERM", "EMFILE"];
