import { execFile } from "node:child_process";
import { errno } from "../errno.ts";
import { HostError } from "../host-error.ts";

/**
 * Standard tools that walk trees through open directories and in their own process. GNU `cp` is not one of them: it
 * uses names.
 */
export type Tool = "find" | "du";

const TOOL_TIMEOUT_MS = 600_000;
const OUTPUT_BYTES_MAX = 16_777_216;

export function runTool(tool: Tool, args: readonly string[]): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const options = {
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" },
    cwd: "/",
    encoding: "buffer" as const,
    timeout: TOOL_TIMEOUT_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
  };
  execFile(tool, [...args], options, (error, stdout, stderr) => {
    if (error === null) resolve(stdout);
    else reject(failed(tool, stderr.toString().trim() || error.message, error));
  });
  return promise;
}

/** Translates a system error that occurred while taking files. */
export function orFailed(what: string, thrown: unknown): never {
  if (thrown instanceof Error && errno(thrown) !== undefined && !(thrown instanceof HostError))
    throw failed(what, thrown.message, thrown);
  throw thrown;
}

function failed(what: string, reason: string, cause: unknown): HostError {
  const isFull = /No space left on device|Disk quota exceeded|^ENOSPC|^EDQUOT/.test(reason);
  return new HostError(isFull ? "disk_full" : "worktree_failed", `${what} failed: ${reason}`, {
    remedy: isFull ? "make room on the disk" : "read the reason",
    details: { what, reason: reason.slice(0, REASON_CHARS) },
    cause,
  });
}

const REASON_CHARS = 1000;
