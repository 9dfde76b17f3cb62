import type { Clock, HostProcess } from "../../host/index.ts";
import type { Redactor } from "../../redaction/index.ts";
import { PREVIEW_CHARS } from "./effect-output.ts";

type Stream = "stdout" | "stderr";

export interface RecorderSinks {
  /** May slow the process down: nothing more is read until it resolves. */
  readonly show: (stream: Stream, text: string) => void | Promise<void>;
  readonly record: (stream: Stream, text: string) => Promise<void>;
}

/** Output becomes few events: a piece is recorded when it is large, old, or the other stream prints. */
const PIECE_CHARS = 262_144;
const PIECE_AGE_MS = 2000;
/** Streams that alternate more often than this get no event for each change. */
const IN_ORDER_PIECES_MAX = 200;

/**
 * Reads a process's output, shows it at once and records it in pieces, both without secrets. Returns the beginning of it.
 * A failed recording ends the reading and is thrown.
 */
export async function recordOutput(
  process: HostProcess,
  sinks: RecorderSinks,
  clock: Clock,
  redactor: Pick<Redactor, "stream">,
): Promise<string> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const redacted = { stdout: redactor.stream(), stderr: redactor.stream() };
  const held = { stdout: { text: "", sinceMs: 0 }, stderr: { text: "", sinceMs: 0 } };
  let preview = "";
  let pieces = 0;
  const failures: unknown[] = [];
  let recording: Promise<void> = Promise.resolve();

  const record = async (stream: Stream, text: string): Promise<void> => {
    if (failures.length === 0) await sinks.record(stream, text);
  };
  const flush = (stream: Stream): void => {
    const { text } = held[stream];
    held[stream].text = "";
    if (text === "") return;
    pieces += 1;
    // Handled here, because an unhandled rejection would end the daemon.
    recording = recording.then(() => record(stream, text)).catch((thrown: unknown) => void failures.push(thrown));
  };
  const isOld = (stream: Stream) => clock.steadyMs() - held[stream].sinceMs > PIECE_AGE_MS;
  let stopTimer: () => void = () => undefined;
  const lookAgain = (): void => {
    for (const stream of STREAMS) if (isOld(stream)) flush(stream);
    stopTimer = clock.after(PIECE_AGE_MS / 4, lookAgain);
  };
  lookAgain();
  const take = async (stream: Stream, text: string): Promise<void> => {
    if (text === "") return;
    if (pieces < IN_ORDER_PIECES_MAX) flush(stream === "stdout" ? "stderr" : "stdout");
    if (held[stream].text === "") held[stream].sinceMs = clock.steadyMs();
    held[stream].text += text;
    await sinks.show(stream, text);
    if (preview.length < PREVIEW_CHARS) preview = (preview + text).slice(0, PREVIEW_CHARS);
    if (held[stream].text.length < PIECE_CHARS) return;
    flush(stream);
    await recording;
  };
  try {
    for await (const { stream, bytes } of process.output) {
      await take(stream, redacted[stream].push(decoders[stream].decode(bytes, { stream: true })));
      if (failures.length > 0) break;
    }
    for (const stream of STREAMS) {
      await take(stream, redacted[stream].end());
      flush(stream);
    }
  } finally {
    stopTimer();
    await recording;
  }
  const [failure] = failures;
  if (failure !== undefined) throw failure instanceof Error ? failure : new Error(String(failure));
  return preview;
}

const STREAMS: readonly Stream[] = ["stdout", "stderr"];
