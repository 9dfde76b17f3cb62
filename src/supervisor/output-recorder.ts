import type { Clock, HostProcess } from "../host/index.ts";
import type { TextOrBlob } from "../kernel/index.ts";

export interface RecorderSinks {
  readonly show: (stream: "stdout" | "stderr", text: string) => void;
  readonly record: (stream: "stdout" | "stderr", text: string) => Promise<TextOrBlob | null>;
}

/** Output becomes few events: a piece is recorded when it is large, old, or the other stream speaks up. */
const PIECE_CHARS = 262_144;
const PIECE_AGE_MS = 2000;
const PREVIEW_CHARS = 16_384;

/** Drains a process, shows what comes as it comes, and records it in pieces. Returns the beginning of it all. */
export async function recordOutput(process: HostProcess, sinks: RecorderSinks, clock: Clock): Promise<string> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const held: { stream: "stdout" | "stderr"; text: string; sinceMs: number } = {
    stream: "stdout",
    text: "",
    sinceMs: 0,
  };
  let preview = "";
  let recording: Promise<unknown> = Promise.resolve();

  const flush = (): void => {
    const { stream, text } = held;
    held.text = "";
    if (text !== "") recording = recording.then(() => sinks.record(stream, text));
  };
  let stopTimer: () => void = () => undefined;
  const lookAgain = (): void => {
    if (held.text !== "" && clock.nowMs() - held.sinceMs > PIECE_AGE_MS) flush();
    stopTimer = clock.after(PIECE_AGE_MS / 4, lookAgain);
  };
  lookAgain();
  try {
    for await (const { stream, bytes } of process.output) {
      const text = decoders[stream].decode(bytes, { stream: true });
      if (stream !== held.stream) flush();
      if (held.text === "") held.sinceMs = clock.nowMs();
      held.stream = stream;
      held.text += text;
      sinks.show(stream, text);
      if (preview.length < PREVIEW_CHARS) preview = (preview + text).slice(0, PREVIEW_CHARS);
      if (held.text.length < PIECE_CHARS) continue;
      flush();
      await recording;
    }
    flush();
  } finally {
    stopTimer();
    await recording;
  }
  return preview;
}
