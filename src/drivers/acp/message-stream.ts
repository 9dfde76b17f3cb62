import { setImmediate } from "node:timers/promises";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { jsonExcess } from "../../contract/index.ts";
import type { HostProcess } from "../../host/index.ts";
import { createLineReader } from "../line-reader.ts";

/** An agent's output, split: messages for the connection, updates and noise for the listener. */
export interface StreamHooks {
  /** `session/update` and all other notifications, in order of arrival and before any later answer. */
  readonly onNotification: (method: string, params: unknown) => void;
  /** Output beside the protocol. */
  readonly onNoise: (text: string) => void;
  readonly onStderr: (text: string) => void;
  /** The agent broke the protocol beyond repair. */
  readonly onBreach: (problem: string) => void;
  /** Pending while too much waits to be recorded, so that the agent waits too. */
  readonly ready: () => Promise<void>;
}

/** The largest message that is read; the protocol's own library has the same limit. */
const MESSAGE_BYTES_MAX = 33_554_432;
const NOISE_LINES_MAX = 10_000;
/** After this many lines at once the event loop gets a turn. */
const LINES_AT_ONCE_MAX = 200;
/** Answers to requests that were never made. */
const STRAY_ANSWERS_MAX = 1000;

/**
 * Messages over a process's pipes. Notifications are taken out here, because the library passes them on asynchronously:
 * the answer to a prompt could overtake the last updates of its turn.
 */
export function messageStream(process: HostProcess, hooks: StreamHooks): Stream {
  const asked = new Set<unknown>();
  const sort = createSorter(asked, hooks);
  return {
    readable: new ReadableStream<AnyMessage>(
      {
        start: async (controller) => {
          const lines = createLineReader(MESSAGE_BYTES_MAX);
          const stderr = new TextDecoder();
          try {
            for await (const { stream, bytes } of process.output) {
              if (stream === "stderr") {
                hooks.onStderr(stderr.decode(bytes, { stream: true }));
                continue;
              }
              const complete = lines.push(bytes);
              for (const line of complete) {
                if (line === null) hooks.onBreach(`it wrote a line of more than ${MESSAGE_BYTES_MAX} bytes`);
                const message = line === null ? null : sort(line);
                if (message !== null) controller.enqueue(message);
              }
              await hooks.ready();
              if (complete.length > LINES_AT_ONCE_MAX) await setImmediate();
            }
            controller.close();
          } catch (thrown) {
            controller.error(thrown);
          }
        },
      },
      { highWaterMark: 1 },
    ),
    writable: new WritableStream<AnyMessage>({
      write: async (message) => {
        if ("method" in message && "id" in message) asked.add(message.id);
        await process.stdin?.write(`${JSON.stringify(message)}\n`);
      },
    }),
  };
}

/** Takes lines apart; null for what the connection need not see. `asked`: requests of ours that wait for an answer. */
function createSorter(asked: Set<unknown>, hooks: StreamHooks): (line: string) => AnyMessage | null {
  let noiseLines = 0;
  let strayAnswers = 0;

  const noise = (text: string): void => {
    noiseLines += 1;
    if (noiseLines === NOISE_LINES_MAX) hooks.onBreach(`it printed ${NOISE_LINES_MAX} lines that are no messages`);
    if (noiseLines < NOISE_LINES_MAX) hooks.onNoise(text);
  };

  return (line) => {
    // An error for each of a million empty lines would hold up the daemon.
    if (line.trim() === "") return null;
    const excess = jsonExcess(line);
    if (excess !== null) {
      hooks.onBreach(`it wrote a message that is too much: ${excess}`);
      return null;
    }
    const message = parseObject(line);
    if (message === null) {
      noise(line);
      return null;
    }
    const method = message["method"];
    if (typeof method === "string" && !("id" in message)) {
      hooks.onNotification(method, message["params"]);
      return null;
    }
    if (typeof method === "string") return { jsonrpc: "2.0", ...message, method, id: idOf(message["id"]) };
    if (!("id" in message)) {
      noise(line);
      return null;
    }
    if (!asked.delete(message["id"])) {
      strayAnswers += 1;
      if (strayAnswers === STRAY_ANSWERS_MAX) hooks.onBreach(`it gave ${STRAY_ANSWERS_MAX} answers to nothing`);
      if (strayAnswers === 1) hooks.onNoise(`an answer to a request that was never made: ${line.slice(0, 200)}`);
      return null;
    }
    const id = idOf(message["id"]);
    return isError(message["error"])
      ? { jsonrpc: "2.0", id, error: message["error"] }
      : { jsonrpc: "2.0", id, result: message["result"] ?? null };
  };
}

function parseObject(line: string): { readonly [key: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // Many programs print a greeting on stdout: that is noise, not a failure.
    return null;
  }
}

function idOf(id: unknown): string | number | null {
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function isError(error: unknown): error is { code: number; message: string } {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    "message" in error &&
    typeof error.code === "number"
  );
}
