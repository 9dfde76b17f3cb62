import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { unless } from "./errno.ts";

/** When the daemon before this one ended, however it ended. */
export interface DeathWatch {
  /** Null when nobody knows. */
  readonly lastDeathMs: number | null;
  readonly stop: () => void;
}

/** A shell that waits for the end of a pipe: the system closes ours when we die, also by `kill -9`. */
const WAIT = 'read -r _; touch -- "$1"';

/** The file's time is the time of the last end. What changes in a directory after it was not done by an agent of ours. */
export function watchDeath(file: string): DeathWatch {
  const lastDeathMs = unless(["ENOENT"], () => statSync(file).mtimeMs);
  const watcher = spawn("/bin/sh", ["-c", WAIT, "nomos-death-watch", file], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/",
  });
  // Without it nobody knows when we died: what was changed since is then the cut turn's, as far as anybody can tell.
  watcher.on("error", () => undefined);
  watcher.stdin?.on("error", () => undefined);
  watcher.unref();
  (watcher.stdin as { unref?: () => void } | null)?.unref?.();
  return { lastDeathMs, stop: () => watcher.stdin?.destroy() };
}
