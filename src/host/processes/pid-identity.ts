import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { processRow } from "./proc-stat.ts";

/** Identifies one process for good: a pid alone is reused, also after a reboot. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal only for the same process in the same boot. */
  readonly startTime: string;
}

/** Null when no process has that pid. A zombie counts as ended. */
export function processIdentity(pid: number): ProcessIdentity | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  const startTime = process.platform === "linux" ? linuxStartTime(pid) : psStartTime(pid);
  return startTime === null ? null : { pid, startTime };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return processIdentity(identity.pid)?.startTime === identity.startTime;
}

function linuxStartTime(pid: number): string | null {
  const row = processRow(pid);
  if (row === null || row.zombie) return null;
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  return `${row.startTicks}@${boot}`;
}

/** For macOS and the BSDs, written from their manuals; not tested on any of them. */
function psStartTime(pid: number): string | null {
  const ps = spawnSync("ps", ["-o", "stat=", "-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { PATH: "/bin:/usr/bin", LC_ALL: "C" },
  });
  const [state, ...startTime] = ps.stdout.trim().split(/\s+/);
  return ps.status !== 0 || !state || state.startsWith("Z") ? null : startTime.join(" ");
}
