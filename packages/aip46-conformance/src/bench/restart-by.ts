import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs a shell command that restarts the server; the command ends when the server answers again. */
export function restartBy(command: string): () => Promise<void> {
  return async () => {
    await promisify(execFile)("sh", ["-c", command]);
  };
}
