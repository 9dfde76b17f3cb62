import type { HostProcess } from "../../host/index.ts";
import { createLineReader } from "../link/line-reader.ts";
import type { FromEngine } from "../link/protocol.ts";

const SAID_CHARS_MAX = 2000;
const LINE_BYTES_MAX = 67_108_864;

/** Reads the engine's lines until its process ends. What it prints to stderr is for the daemon's log. */
export async function readLines(
  process: HostProcess,
  hear: (message: FromEngine) => void,
  say: (text: string) => void,
): Promise<void> {
  const lines = createLineReader((line) => hear(JSON.parse(line) as FromEngine), { lineBytesMax: LINE_BYTES_MAX });
  for await (const { stream, bytes } of process.output) {
    if (stream === "stderr") say(Buffer.from(bytes).toString("utf8", 0, SAID_CHARS_MAX));
    else lines.take(bytes);
  }
}
