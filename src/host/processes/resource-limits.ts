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
