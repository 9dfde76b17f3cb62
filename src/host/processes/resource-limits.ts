import { statSync } from "node:fs";
import { release } from "node:os";

/** What the system holds a process to. Each holds for one process, and for each that it starts. */
export interface ResourceLimits {
  /** Memory of its own; null: as much as there is. */
  readonly memoryMb: number | null;
  readonly openFilesMax: number | null;
}

/** Where limits are held at all: Linux counts memory that a process writes to, others do not. */
export function limitsHeld(platform: string = process.platform): boolean {
  return platform === "linux";
}

/**
 * For a shell that becomes the program. No core files, ever: they would hold whatever the agent knew. A limit that the
 * system refuses is left out, as `limitsHeld` says.
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

/** For each sandbox with `off`: more than any build needs, and less than a fork bomb. */
export const OFF_PIDS_MAX = 8192;

/**
 * For the same shell, where no cgroup counts: the processes of one sandbox. From Linux 5.14 on they are counted for each
 * user namespace, and bubblewrap makes one, unless it is set-uid. Nothing holds root: there only a cgroup does.
 */
export function pidsScript(pidsMax: number | null, bwrapPath: string): string {
  if (pidsMax === null || process.getuid?.() === 0 || !isCountedApart(release()) || isSetUid(bwrapPath)) return "";
  // bash and dash have different letters for it.
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
