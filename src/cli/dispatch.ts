import { isEveryday } from "./everyday.ts";
import { LOAD } from "./load-command.ts";
import type { Invocation, RunCommand, Terminal } from "./terminal.ts";

/** Finds the command that the first words name. */
export async function dispatch(terminal: Terminal, name: string | undefined, given: Invocation): Promise<number> {
  if (name === undefined) return (await import("./commands/welcome.ts")).run(terminal, given);
  if (name === "--help" || name === "-h") return help(terminal, given);
  if (name === "--version" || name === "-v") return dispatch(terminal, "version", given);
  if (name === "__complete") return (await import("./commands/complete.ts")).run(terminal, given);
  if (asksForHelp(given.args)) return help(terminal, { ...given, args: [name, ...given.args] });
  if (isEveryday(name)) return (await LOAD[name]()).run(terminal, given);
  const { runSyscall } = await import("./syscall/run-syscall.ts");
  return runSyscall(terminal, { ...given, args: [name, ...given.args] });
}

const help: RunCommand = async (terminal, given) => {
  const words = given.args.filter((word) => !word.startsWith("-"));
  return (await import("./commands/help.ts")).run(terminal, { ...given, args: words });
};

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((word) => word === "--help" || word === "-h");
}
