import { spawn } from "node:child_process";

/** Runs a program that a person asked for, such as an editor, on this terminal. Resolves with its exit code. */
export function runInTerminal(command: string, args: readonly string[], cwd?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { stdio: "inherit", ...(cwd === undefined ? {} : { cwd }) });
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}
