import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A shell command that stops the server and starts it again; it ends when the server is back. */
export function restartBy(command: string): () => Promise<void> {
  return async () => {
    await promisify(execFile)("sh", ["-c", command]);
  };
}
