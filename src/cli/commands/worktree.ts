import { expectWords, parseArguments } from "../arguments.ts";
import { connect } from "../daemon/connect.ts";
import { EVERYDAY } from "../everyday.ts";
import { runInTerminal } from "../screen/run-in-terminal.ts";
import { runSyscall } from "../syscall/run-syscall.ts";
import { EXIT, type RunCommand, type Terminal } from "../terminal.ts";

/** `open` needs a terminal, so it is no syscall; every other verb is one. */
export const run: RunCommand = async (terminal, given) => {
  const [verb, ...args] = given.args;
  if (verb !== "open") return runSyscall(terminal, { ...given, args: ["worktree", ...given.args] });
  const { positionals } = parseArguments(args, {});
  expectWords(positionals, ["SESSION"], EVERYDAY.worktree.usage);
  const client = await connect(terminal);
  const { path } = await client.call("worktree.path", { id: positionals[0] ?? "" });
  if (!given.json) return openThere(terminal, path);
  terminal.printJson({ path });
  return EXIT.ok;
};

async function openThere(terminal: Terminal, path: string): Promise<number> {
  const { VISUAL, EDITOR, SHELL } = terminal.environment;
  const editor = VISUAL || EDITOR;
  // As git does it: the variable may hold a program with options.
  const [program, args] = editor ? ["/bin/sh", ["-c", `${editor} "$@"`, editor, path]] : [SHELL || "/bin/sh", []];
  if (!editor) terminal.complain(`A shell in ${path}. Leave it with \`exit\`.`);
  return runInTerminal("env", [...quietGit(terminal.environment), program, ...args], path);
}

/**
 * The worktree's git settings are its agent's. Git in this editor or shell, such as in a prompt, must not run a program
 * that they name: settings in the environment come before those of the repository.
 */
function quietGit({ GIT_CONFIG_COUNT }: Terminal["environment"]): readonly string[] {
  const from = Number(GIT_CONFIG_COUNT ?? 0) || 0;
  const pairs = QUIET.flatMap(([key, value], at) => [
    `GIT_CONFIG_KEY_${from + at}=${key}`,
    `GIT_CONFIG_VALUE_${from + at}=${value}`,
  ]);
  return [`GIT_CONFIG_COUNT=${from + QUIET.length}`, ...pairs];
}

const QUIET = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
] as const;
