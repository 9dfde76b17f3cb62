import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ClientError } from "../../client/index.ts";
import { writeFileAtomic } from "../../host/index.ts";
import { usageError } from "../arguments.ts";
import { EVERYDAY } from "../everyday.ts";
import { runSyscall } from "../syscall/run-syscall.ts";
import type { Invocation, RunCommand, Terminal } from "../terminal.ts";

const KEY_STDIN = "--key-stdin";
const KEY_BYTES_MAX = 65_536;

/** Every verb is a syscall. Only `add` has more to do: a key on standard input is stored here and never sent. */
export const run: RunCommand = async (terminal, given) => {
  const args = given.args.map((word) => withWholePath(word, terminal.cwd));
  const call = (words: readonly string[]) => runSyscall(terminal, { ...given, args: ["model", ...words] });
  if (given.args[0] !== "add" || !args.includes(KEY_STDIN)) return call(args);
  return addWithKey(terminal, { ...given, args }, call);
};

/** A refusal leaves no key behind, and replaces none: an older file of this name is written only after the call. */
async function addWithKey(
  terminal: Terminal,
  { args }: Invocation,
  call: (words: readonly string[]) => Promise<number>,
): Promise<number> {
  const name = args.slice(1).find((word) => !word.startsWith("-"));
  if (name === undefined || !/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name))
    throw usageError("With --key-stdin the provider's name comes first.", EVERYDAY.model.usage);
  if (args.some((word) => /^--key(=|$)/.test(word)))
    throw usageError("--key and --key-stdin exclude each other.", EVERYDAY.model.usage);
  const key = (await terminal.readInput()).trim();
  if (key === "" || /\s/.test(key) || Buffer.byteLength(key) > KEY_BYTES_MAX)
    throw new ClientError("usage", {
      message: "Standard input has no key: one word is expected, and nothing else.",
      remedy: `Pipe the key: nomos model add ${name} --key-stdin < FILE`,
    });
  const path = join(terminal.home, "keys", "models", name);
  const words = args.filter((word) => word !== KEY_STDIN);
  const write = async (): Promise<void> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFileAtomic(path, `${key}\n`, { mode: 0o600 });
  };
  const isNew = !existsSync(path);
  // The daemon's answer says whether the key is there.
  if (isNew) await write();
  let isAdded = false;
  try {
    const exitCode = await call([...words, "--key", `file:${path}`]);
    isAdded = exitCode === 0;
    if (isAdded && !isNew) await write();
    return exitCode;
  } finally {
    if (isNew && !isAdded) await rm(path, { force: true });
  }
}

/** The daemon does not know the person's directory. */
function withWholePath(word: string, cwd: string): string {
  const [, before = "", path] = /^((?:--key=)?file:)(.+)$/s.exec(word) ?? [];
  return path === undefined ? word : `${before}${resolve(cwd, path)}`;
}
