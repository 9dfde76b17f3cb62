import type { LogEvent, StreamItem } from "../../src/client/index.ts";
import { textIn } from "./reading.ts";

type Frame = Extract<StreamItem, { event: "delta" }>["data"];

/** Text that arrives before it is in the log. */
export interface Streamed {
  readonly turnId: string;
  readonly message: string;
  /** What a command prints. */
  readonly output: string;
  /** Pieces of a message that the log already has arrive late and are skipped. */
  readonly late: string;
  readonly startedAtMs: number | null;
  /** From the turn's start to its first text, where both were seen. */
  readonly firstMs: number | null;
}

export const NOTHING_STREAMED: Streamed = {
  turnId: "",
  message: "",
  output: "",
  late: "",
  startedAtMs: null,
  firstMs: null,
};

const OUTPUT_CHARS_MAX = 40_000;
const MESSAGE_CHARS_MAX = 200_000;

export function withFrame(before: Streamed, { turnId, source, text }: Frame, nowMs: number): Streamed {
  const same = before.turnId === turnId ? before : { ...NOTHING_STREAMED, turnId };
  // The log has the whole thought soon, and shows it folded.
  if (source === "thought") return same;
  if (source !== "message") return { ...same, output: (same.output + text).slice(-OUTPUT_CHARS_MAX) };
  if (same.late !== "" && same.late.startsWith(text)) return { ...same, late: same.late.slice(text.length) };
  const message = (same.message + text).slice(-MESSAGE_CHARS_MAX);
  const firstMs = same.firstMs ?? (same.startedAtMs === null ? null : Math.max(0, nowMs - same.startedAtMs));
  return { ...same, message, late: "", firstMs };
}

/** The log has it now: what was streamed of it is gone. */
export function withEvent(before: Streamed, { type, data, at }: LogEvent): Streamed {
  const turnId = textIn(data, "turnId");
  if (type === "turn.started@1") return { ...NOTHING_STREAMED, turnId, startedAtMs: Date.parse(at) };
  if (turnId !== before.turnId) return before;
  switch (type) {
    case "message.completed@1": {
      if (textIn(data, "role") === "thought") return before;
      const text = textIn(data, "text");
      const late = text.startsWith(before.message) ? text.slice(before.message.length) : "";
      return { ...before, message: "", late };
    }
    case "effect.output@1":
    case "effect.settled@1":
    case "tool.ended@1":
      return { ...before, output: "" };
    // A step that failed leaves nothing of what it said.
    case "step.ended@1":
      return { ...before, message: "" };
    case "turn.ended@1":
      return { ...before, message: "", output: "", late: "" };
    default:
      return before;
  }
}
