import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";

export interface DiskFault {
  /** Removes the fault. */
  readonly mend: () => Promise<void>;
}

const ATTACH_MAX_MS = 15_000;

/**
 * Injects a fault into a running daemon, only on the files of its log: `fsync:error=EIO:when=3` fails the third flush
 * from now, `pwrite64:error=ENOSPC` every write until it is removed.
 */
export async function breakDisk(
  daemon: { readonly pid: number; readonly home: string },
  inject: string,
): Promise<DiskFault> {
  const files = ["log.db", "log.db-wal"].flatMap((name) => ["-P", join(daemon.home, name)]);
  const call = inject.split(":")[0] ?? "";
  const args = [
    ...threadsOf(daemon.pid).flatMap((thread) => ["-p", thread]),
    "-e",
    `trace=${call}`,
    ...files,
    "-e",
    `inject=${inject}`,
    "-o",
    "/dev/null",
  ];
  const child = spawn("strace", args, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  const attached = Promise.withResolvers<void>();
  let said = "";
  child.stderr.on("data", (part) => {
    said += String(part);
    if (said.includes("attached")) attached.resolve();
  });
  const late = setTimeout(() => attached.reject(new Error(`strace did not attach: ${said}`)), ATTACH_MAX_MS);
  void ended.then(() => attached.reject(new Error(`strace ended: ${said}`)));
  await attached.promise.finally(() => clearTimeout(late));
  return {
    mend: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/**
 * Each thread is traced, but no child: a traced command could not end with its pid namespace while the tracer holds it.
 */
function threadsOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`);
}
