import { readdirSync, readFileSync } from "node:fs";

export interface TreeMemory {
  /** Pages shared with other processes count by their share. */
  readonly pssMb: number;
  readonly rssMb: number;
  readonly processes: number;
}

/** Memory of a process and all its descendants, as the kernel reports it. */
export function treeMemory(roots: readonly number[]): TreeMemory {
  const pids = treeOf(roots);
  const rollups = pids.flatMap((pid) => readOrNone(`/proc/${pid}/smaps_rollup`));
  const sumMb = (field: string) =>
    rollups
      .map((text) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? 0) / 1024)
      .reduce((sum, mb) => sum + mb, 0);
  return { pssMb: sumMb("Pss"), rssMb: sumMb("Rss"), processes: rollups.length };
}

function treeOf(roots: readonly number[]): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const stat = readOrNone(`/proc/${name}/stat`)[0];
    // The command stands in brackets and may have any characters.
    const parent = Number(stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    if (stat !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  const pending = [...roots];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    found.push(pid);
    pending.push(...(children.get(pid) ?? []));
  }
  return found;
}

/** None: the process has ended since it was listed. */
function readOrNone(file: string): readonly string[] {
  try {
    return [readFileSync(file, "utf8")];
  } catch {
    return [];
  }
}
