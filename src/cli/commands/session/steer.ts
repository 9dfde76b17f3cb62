import { runSyscall } from "../../syscall/run-syscall.ts";
import type { RunCommand } from "../../terminal.ts";

/** `nomos prompt --steer` in one word. */
export const run: RunCommand = (terminal, given) =>
  runSyscall(terminal, { ...given, args: ["prompt", "--steer", ...given.args] });
