import { execFile } from "node:child_process";
import { HostError } from "../host-error.ts";

/** Standard tools that walk trees by open directories, so that no link put in their way leads them out; and not on our thread. */
export type Tool = "cp" | "rm" | "find" | "du";

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
    else reject(toolFailed(tool, stderr.toString().trim() || error.message, error));
  });
  return promise;
}

function toolFailed(tool: Tool, reason: string, cause: unknown): HostError {
  const isFull = /No space left on device|Disk quota exceeded/.test(reason);
  return new HostError(isFull ? "disk_full" : "worktree_failed", `${tool} failed: ${reason}`, {
    remedy: isFull ? "make room on the disk" : "read the reason",
    details: { tool, reason: reason.slice(0, REASON_CHARS) },
    cause,
  });
}

const REASON_CHARS = 1000;
