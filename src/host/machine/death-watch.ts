import { spawn } from "node:child_process";
import { closeSync, constants, openSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { UNREACHABLE, unless } from "../errno.ts";

/** When the daemon before this one ended, however it ended. */
export interface DeathWatch {
  /** Null when nobody knows. */
  readonly lastDeathMs: number | null;
  readonly stop: () => void;
}

/**
 * A shell that waits for the end of a pipe: the system closes ours when we die, also by `kill -9`. It is nobody's child and
 * knows no path, so that whoever counts the processes of a daemon or a session does not find it.
 */
const WAIT = "(read -r _ <&4; printf . >&3) &";
const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * The file's time is the time of the last end. What changes in a directory after it was not done by an agent of ours.
 * Where it cannot be written nobody knows: then what was changed since counts as the cut turn's.
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
