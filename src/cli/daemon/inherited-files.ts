import { readdirSync, readFileSync } from "node:fs";

const CLOSE_ON_EXEC = 0o2000000;
const FIRST_BEYOND_STDIO = 3;

/**
 * Open file descriptors above 2 that a child process would inherit: our own parent left them open. A daemon that
 * kept them would hold a lock or pipe of that parent for ever. Descriptors that Node opened close by
 * themselves.
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
    // It was closed after the listing, as was the listing itself.
    return true;
  }
}
