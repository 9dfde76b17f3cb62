import { readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;
const FIRST_BEYOND_STDIO = 3;

/**
 * The numbers of open files, beyond the three usual ones, that a program started from here would get: those that
 * whoever started us left open. A daemon that kept them would hold somebody's lock or pipe for ever. Node's own close
 * by themselves.
 */
export function inheritedFiles(): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((file) => file >= FIRST_BEYOND_STDIO && !closesOnExec(file));
}

function closesOnExec(file: number): boolean {
  try {
    const [, flags = "0"] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    // Closed since the listing, like the listing itself.
    return true;
  }
}
