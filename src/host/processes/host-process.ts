import type { Writable } from "node:stream";
import { HostError } from "../host-error.ts";
import { systemClock } from "../machine/clock.ts";
import type { Launched } from "./launch.ts";
import { createOutputQueue, type OutputChunk } from "./output-queue.ts";
import type { ProcessMark } from "./process-tree.ts";

export interface ProcessExit {
  /** Null when a signal ended the process. In a sandbox this shows as 128 + the signal's number. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Output dropped because of the limit. */
  readonly outputDroppedBytes: number;
  /** The program never ran (`sandbox_failed`), or part of its tree still runs (`process_unkillable`). */
  readonly failure?: HostError;
}

export interface StopOptions {
  /** The time between closing stdin and SIGKILL. */
  readonly graceMs?: number;
  /** Aborting ends the grace period early; the tree is still killed and waited for. */
  readonly signal?: AbortSignal;
}

/** A running program with everything it starts. All of it ends together, even processes meant to stay. */
export interface HostProcess extends AsyncDisposable {
  /** The outermost process, which may be the sandbox. */
  readonly pid: number;
  /** Resolves when the bytes are in the pipe. Rejects with `stdin_closed` when nobody will read them. */
  readonly stdin?: { write(bytes: Uint8Array | string): Promise<void> };
  /** Closes stdin after everything written before; resolves when it is closed. */
  closeStdin(): Promise<void>;
  /** For one consumer. The program waits while the consumer is slow or missing; leaving the loop drops the rest. */
  readonly output: AsyncIterable<OutputChunk>;
  /** Resolves when the whole tree has ended and the consumer, if any, has all the output. */
  readonly exited: Promise<ProcessExit>;
  /** The tree's current processes, to tell later ones apart. */
  readonly mark: () => ProcessMark;
  /** Sends SIGKILL to processes started since the mark, however they were detached; resolves when they are gone. */
  readonly endSince: (mark: ProcessMark) => Promise<void>;
  /** Closes stdin, then sends SIGTERM, then SIGKILL to the whole tree; resolves when all of it has ended. */
  stop(options?: StopOptions): Promise<void>;
}

const STOP_GRACE_MS = 3_000;
/** The part of the grace period before SIGTERM, after stdin was closed. */
const STDIN_END_GRACE_MAX_MS = 500;

/** `onGone` is called when the whole tree has ended, or when part of it cannot be killed. */
export function runningProcess(
  launched: Launched,
  outputLimitBytes: number | undefined,
  onGone: () => void,
): HostProcess {
  const { child, tree, stdin } = launched;
  const queue = createOutputQueue(launched.stdout, launched.stderr, outputLimitBytes);
  const ended = new Promise<{ exitCode: number | null; signal: string | null }>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const survivors = ended.then(() => tree.kill()).finally(onGone);

  async function exit(): Promise<ProcessExit> {
    const failure = unkillable(await survivors) ?? launched.whyNotStarted();
    await queue.drained();
    return { ...(await ended), outputDroppedBytes: queue.droppedBytes(), ...(failure && { failure }) };
  }

  async function stop(options: StopOptions = {}): Promise<void> {
    if (!(await goneInGrace(options))) await tree.kill();
    const failure = unkillable(await survivors);
    if (failure !== undefined) throw failure;
  }

  async function goneInGrace({ graceMs = STOP_GRACE_MS, signal }: StopOptions): Promise<boolean> {
    const stdinGraceMs = stdin === null ? 0 : Math.min(STDIN_END_GRACE_MAX_MS, graceMs / 4);
    stdin?.end();
    if (stdinGraceMs > 0 && (await settlesWithin(survivors, stdinGraceMs, signal))) return true;
    tree.terminate();
    return settlesWithin(survivors, graceMs - stdinGraceMs, signal);
  }

  // The writer gets the error of a broken pipe; without a listener it would crash the daemon.
  stdin?.on("error", () => stdin.destroy());
  return {
    pid: launched.pid,
    ...(stdin && { stdin: { write: (bytes: Uint8Array | string) => writeAll(stdin, bytes) } }),
    closeStdin: () => (stdin === null ? Promise.resolve() : endOf(stdin)),
    output: queue.output,
    exited: exit(),
    mark: () => tree.mark(),
    endSince: async (mark) => {
      const failure = unkillable(await tree.killSince(mark));
      if (failure !== undefined) throw failure;
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}

function unkillable(pids: readonly number[]): HostError | undefined {
  if (pids.length === 0) return undefined;
  return new HostError("process_unkillable", `processes ${pids.join(", ")} do not end`, {
    remedy: "repair the network file system that they probably wait for: they hang in the kernel",
    details: { pids },
  });
}

function writeAll(stdin: Writable, bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    stdin.write(bytes, (cause) => {
      if (!cause) return resolve();
      reject(
        new HostError("stdin_closed", "the process no longer reads its input", { remedy: "start it again", cause }),
      );
    });
  });
}

function endOf(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stdin.closed) return resolve();
    stdin.once("close", resolve);
    stdin.end();
  });
}

async function settlesWithin(promise: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const waiting = systemClock().sleep(ms, signal ? AbortSignal.any([signal, over.signal]) : over.signal);
  try {
    // An aborted wait counts as finished.
    return await Promise.race([
      promise.then(() => true),
      waiting.then(
        () => false,
        () => false,
      ),
    ]);
  } finally {
    over.abort();
  }
}
