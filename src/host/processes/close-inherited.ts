import { closeSync, readdirSync, readFileSync } from "node:fs";
import { unless } from "../errno.ts";

const CLOSE_ON_EXEC = 0o2000000;
const STDERR = 2;

/**
 * Closes what whoever started this process left open for it beyond the three streams. All that Node opens is closed when
 * another program is started; what was inherited is not, and would go on into every sandbox: an open directory is a way
 * around every mount. For the very start of a process, before it has children.
 */
export function closeInherited(): number[] {
  const names = unless(["ENOENT"], () => readdirSync("/proc/self/fd")) ?? [];
  const channel: unknown = Reflect.get(process.channel ?? {}, "fd");
  return names
    .map(Number)
    .filter((fd) => fd > STDERR && fd !== channel && isHandedOn(fd))
    .filter((fd) => unless(["EBADF"], () => closeSync(fd) ?? fd) !== null);
}

function isHandedOn(fd: number): boolean {
  const info = unless(["ENOENT"], () => readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"));
  const flags = /^flags:\s+(\d+)$/m.exec(info ?? "")?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
}
