import { statSync } from "node:fs";
import { release } from "node:os";

/** Limits that the system applies to each process separately, and to each process it starts. */
export interface ResourceLimits {
  /** Private memory; null: no limit. */
  readonly memoryMb: number | null;
  readonly openFilesMax: number | null;
}

/** Where the limits work: only Linux counts written memory. */
export function limitsHeld(platform: string = process.platform): boolean {
  return platform === "linux";
}

/**
 * Shell script that sets the limits before the program. Core files are always off, because they would contain whatever
 * the agent knew. A limit that the system refuses is skipped; `limitsHeld` says where that happens.
 */
export function limitScript({ memoryMb, openFilesMax }: ResourceLimits): string {
  const wanted = [
    "ulimit -c 0",
    ...(memoryMb === null ? [] : [`ulimit -d ${Math.trunc(memoryMb) * KB_PER_MB}`]),
    ...(openFilesMax === null ? [] : [`ulimit -n ${Math.trunc(openFilesMax)}`]),
  ];
  return wanted.map((command) => `${command} 2>/dev/null; `).join("");
}

const KB_PER_MB = 1024;

/** For each sandbox in mode `off`: more than any build needs, less than a fork bomb. */
export const OFF_PIDS_MAX = 8192;

/**
 * Limits the number of processes of one sandbox where no cgroup does. Since Linux 5.14 they are counted per user
 * namespace, which bubblewrap makes unless it is set-uid. Root is exempt from this limit; only a cgroup limits it.
 */
export function pidsScript(pidsMax: number | null, bwrapPath: string): string {
  if (pidsMax === null || process.getuid?.() === 0 || !isCountedApart(release()) || isSetUid(bwrapPath)) return "";
  // bash and dash use different letters for this limit.
  return `{ ulimit -u ${pidsMax} || ulimit -p ${pidsMax}; } 2>/dev/null; `;
}

export function isCountedApart(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map((part) => Number.parseInt(part, 10));
  return process.platform === "linux" && (major > 5 || (major === 5 && minor >= 14));
}

const SET_UID = 0o4000;

function isSetUid(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & SET_UID) !== 0;
}
