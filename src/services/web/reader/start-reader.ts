import { fileURLToPath } from "node:url";
import { NomosError } from "../../../contract/index.ts";
import { MARKER_VARIABLE, type ProcessHost } from "../../../host/index.ts";
import type { WebLimits } from "../reach/limits.ts";
import type { ReadOrder, ReadPage } from "./order.ts";

export type ReadHtml = (order: ReadOrder, signal: AbortSignal) => Promise<ReadPage>;

export interface ReaderParts {
  readonly host: Pick<ProcessHost, "spawn">;
  /** Marks the process as this daemon's. */
  readonly instance: string;
  readonly cwd: string;
  readonly limits: WebLimits;
}

const OUTPUT_BYTES_MAX = 33_554_432;
const STOP_GRACE_MS = 0;
/** It reads its own modules. It writes no file, starts no process, and runs no text as code. */
const HARMLESS = ["--permission", "--allow-fs-read=*", "--disallow-code-generation-from-strings"];

/**
 * Makes pages readable in a process of its own, one for each page: a parser has inputs that take it hours or all
 * memory, and a thread that runs out of memory can take the daemon along.
 */
export function startReader({ host, instance, cwd, limits }: ReaderParts): ReadHtml {
  const program = fileURLToPath(new URL("./main.ts", import.meta.url));
  const argv = [process.execPath, ...HARMLESS, `--max-old-space-size=${limits.readerMemoryMb}`, program];
  return async (order, signal) => {
    signal.throwIfAborted();
    const env = { [MARKER_VARIABLE]: `${instance}:reader` };
    await using child = host.spawn({ argv, cwd, env, stdin: "pipe", outputLimitBytes: OUTPUT_BYTES_MAX });
    let isLate = false;
    const stop = () => void child.stop({ graceMs: STOP_GRACE_MS });
    const timer = setTimeout(() => {
      isLate = true;
      stop();
    }, limits.readerMs);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const given = (child.stdin?.write(JSON.stringify(order)) ?? Promise.resolve()).then(() => child.closeStdin());
      // Whether it read all of it shows in what it answers.
      const [printed] = await Promise.all([stdoutOf(child.output), given.catch(() => undefined)]);
      const { exitCode } = await child.exited;
      signal.throwIfAborted();
      if (isLate) throw unreadable("it takes too long", "time");
      if (exitCode !== 0) throw unreadable("it is too large or too deeply nested", "memory");
      return readAnswer(printed);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  };
}

async function stdoutOf(
  output: AsyncIterable<{ readonly stream: string; readonly bytes: Uint8Array }>,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const { stream, bytes } of output) if (stream === "stdout") chunks.push(bytes);
  return Buffer.concat(chunks).toString("utf8");
}

function readAnswer(printed: string): ReadPage {
  try {
    return JSON.parse(printed) as ReadPage;
  } catch (cause) {
    throw unreadable("its text is too long", "output", cause);
  }
}

function unreadable(why: string, reason: string, cause?: unknown): NomosError {
  const message = `The page cannot be made readable: ${why}.`;
  return new NomosError("web_unreadable", { reason }, { message, remedy: "Fetch it with `format: raw`.", cause });
}
