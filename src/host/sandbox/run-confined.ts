import { realpathSync } from "node:fs";
import { isInside } from "../files/path-inside.ts";
import { HostError } from "../host-error.ts";
import { systemClock } from "../machine/clock.ts";
import type { ProcessHost } from "../processes/process-host.ts";
import type { Mount } from "./walls.ts";

export interface ConfinedOrder {
  /** The only writable directory, and the working directory. Must be a real path. */
  readonly tree: string;
  readonly argv: readonly string[];
  /** Programs and files to run that are not part of the system. */
  readonly programs?: readonly string[];
  readonly readable?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Written to stdin as fast as the program reads; then stdin is closed. */
  readonly input?: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;
  readonly timeMaxMs: number;
  /** Output beyond this, both streams together, is dropped. */
  readonly outputLimitBytes?: number;
  /** Names the process for the search for orphans. */
  readonly label?: string;
}

export interface ConfinedResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly outputDroppedBytes: number;
}

const OUTPUT_LIMIT_BYTES = 16_777_216;
const PATH_INSIDE = "/usr/local/bin:/usr/bin:/bin";

/**
 * Runs a program inside walls to its end, with exactly one writable directory and no network. Throws a `HostError` if
 * it cannot be started, `sandbox_unavailable` where walls are not available.
 */
export async function runConfined(host: ProcessHost, order: ConfinedOrder): Promise<ConfinedResult> {
  const { argv, programs = [], readable = [], timeMaxMs, outputLimitBytes = OUTPUT_LIMIT_BYTES } = order;
  const { tree } = order;
  const mounts = readable.map((path): Mount => ({ path: realpathSync(path), access: "read" }));
  const child = host.spawn({
    argv,
    cwd: tree,
    env: { PATH: PATH_INSIDE, LANG: "C.UTF-8", ...order.env },
    stdin: order.input === undefined ? "none" : "pipe",
    readBack: isInside(realpathSync(host.home), tree) ? [tree] : [],
    walls: { mounts, programs, home: null, temp: null, door: null },
    outputLimitBytes,
  });
  let timedOut = false;
  const stopTimer = systemClock().after(timeMaxMs, () => {
    timedOut = true;
    child.stop({ graceMs: 0 }).catch(() => undefined);
  });
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  const feed = async (): Promise<void> => {
    for await (const piece of order.input ?? []) await child.stdin?.write(piece);
    await child.closeStdin();
  };
  // A program may end before it has read all input; its exit code tells why.
  const fed = feed().catch((thrown: unknown) => {
    if (!(thrown instanceof HostError)) throw thrown;
  });
  try {
    for await (const { stream, bytes } of child.output) (stream === "stdout" ? stdout : stderr).push(bytes);
    const { exitCode, outputDroppedBytes, failure } = await child.exited;
    await fed;
    // Ended before its start because its time was over: that is the answer, not a failed sandbox.
    if (failure !== undefined && !timedOut) throw failure;
    const printed = { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString("utf8") };
    return { exitCode, ...printed, timedOut, outputDroppedBytes };
  } finally {
    stopTimer();
    await child.stop({ graceMs: 0 });
  }
}
