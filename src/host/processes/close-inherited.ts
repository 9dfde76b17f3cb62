import { closeSync, readdirSync, readFileSync } from "node:fs";
import { unless } from "../errno.ts";

const CLOSE_ON_EXEC = 0o2000000;
const STDERR = 2;

/**
 * Closes descriptors beyond stdin, stdout and stderr that were inherited from the parent. Node marks its own as
 * close-on-exec, but inherited ones would reach every sandbox, and an open directory bypasses every mount. Call at the
 * very start, before there are child processes.
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
