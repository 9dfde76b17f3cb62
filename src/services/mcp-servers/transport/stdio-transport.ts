import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { gatherBytes } from "../../../contract/index.ts";
import type { HostProcess } from "../../../host/index.ts";
import type { McpLimits } from "../limits.ts";

export interface StdioTransport extends Transport {
  /** The end of what the program printed as errors. */
  readonly stderr: () => string;
  /** Why the program's side of the connection is over; null while it is not. */
  readonly ended: () => string | null;
}

export interface StdioParts {
  readonly process: HostProcess;
  /** Checks a message. A library's parser, given in so that the library is loaded only when a server is used. */
  readonly parse: (line: string) => JSONRPCMessage;
  readonly limits: McpLimits;
  /** False when the program has sent too much that nobody asked for. */
  readonly mayBeUnasked: () => boolean;
}

const LINE_END = 10;
const STOP_GRACE_MS = 1_000;

/** MCP over the pipes of a process that the daemon has started: one message a line. */
export function createStdioTransport({ process, parse, limits, mayBeUnasked }: StdioParts): StdioTransport {
  let stderr = "";
  let why: string | null = null;
  const decoder = new TextDecoder();
  const errors = new TextDecoder();
  const held = gatherBytes();

  const end = (reason: string): void => {
    if (why !== null) return;
    why = reason;
    transport.onclose?.();
    process.stop({ graceMs: STOP_GRACE_MS }).catch((thrown: unknown) => transport.onerror?.(asError(thrown)));
  };

  const receive = (line: string): void => {
    const text = line.trim();
    if (text === "") return;
    const message = parsed(parse, text);
    if (message === null) transport.onerror?.(new Error("a line that is no message"));
    else if (isAnswer(message) || mayBeUnasked()) transport.onmessage?.(message);
    else end(FLOODS);
  };

  const take = (bytes: Uint8Array): void => {
    let from = 0;
    for (let at = bytes.indexOf(LINE_END); at >= 0 && why === null; at = bytes.indexOf(LINE_END, from)) {
      const rest = bytes.subarray(from, at);
      from = at + 1;
      if (held.size() > 0) held.add(rest);
      receive(decoder.decode(held.size() > 0 ? held.take() : rest));
    }
    if (from < bytes.length) held.add(bytes.subarray(from));
    if (held.size() > limits.messageBytesMax) end(tooLarge(limits));
  };

  const pump = async (): Promise<void> => {
    for await (const { stream, bytes } of process.output) {
      if (why !== null) return;
      if (stream === "stdout") take(bytes);
      else stderr = (stderr + errors.decode(bytes, { stream: true })).slice(-limits.stderrChars);
    }
    const { exitCode, signal, failure } = await process.exited;
    end(failure?.message ?? `it ended with ${signal ?? `exit code ${exitCode}`}`);
  };

  const transport: StdioTransport = {
    start: async () => void pump().catch((thrown: unknown) => end(String(thrown))),
    send: async (message) => {
      if (why !== null) throw new Error(why);
      await process.stdin?.write(`${JSON.stringify(message)}\n`);
    },
    close: async () => {
      why ??= CLOSED;
      transport.onclose?.();
      await process.stop({ graceMs: STOP_GRACE_MS });
    },
    stderr: () => stderr.trim(),
    ended: () => why,
  };
  return transport;
}

export const CLOSED = "it was closed";
export const FLOODS = "it sent thousands of messages that nobody asked for";

export function tooLarge({ messageBytesMax }: McpLimits): string {
  return `it sent a message of more than ${messageBytesMax} bytes`;
}

function isAnswer(message: JSONRPCMessage): boolean {
  return "result" in message || "error" in message;
}

function parsed(parse: StdioParts["parse"], line: string): JSONRPCMessage | null {
  try {
    return parse(line);
  } catch {
    return null;
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
