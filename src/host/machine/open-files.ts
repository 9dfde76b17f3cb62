import { readFileSync } from "node:fs";
import { UNREACHABLE, unless } from "../errno.ts";

/** How many files and connections this process may have open; null where the system does not say. */
export function openFilesMax(): number | null {
  const limits = unless(UNREACHABLE, () => readFileSync("/proc/self/limits", "utf8"));
  const soft = /^Max open files\s+(\d+)/m.exec(limits ?? "")?.[1];
  return soft === undefined ? null : Number(soft);
}
