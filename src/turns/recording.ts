import type { DriverFact, Json, TextOrBlob, TodoItem } from "../kernel/index.ts";
import type { Redactor } from "../redaction/index.ts";

/** What a turn records. Durable when a call resolves; refused after the turn's end. */
export interface TurnRecording {
  /** A complete message. */
  readonly say: (text: string, role?: "assistant" | "thought") => Promise<void>;
  /** Like `say`, for text that `stream` already sent. */
  readonly finishMessage: (text: string, role: "assistant" | "thought") => Promise<void>;
  /** A frame of text: shown to watchers, not recorded. Of a message unless it says so. */
  readonly stream: (text: string, of?: "message" | "thought") => void;
  readonly artifact: (
    path: string,
    bytes: Uint8Array,
    mediaType: string,
  ) => Promise<{ readonly artifactId: string; readonly version: number }>;
  readonly todo: (items: readonly TodoItem[]) => Promise<void>;
  readonly event: (name: string, payload: Json) => Promise<void>;
  /** One append. Returns where each fact is in the log. */
  readonly record: (facts: readonly DriverFact[]) => Promise<readonly RecordedAt[]>;
  /** What everything recorded passes. Texts that are cut, or shown elsewhere, pass it first. */
  readonly redactor: Redactor;
  /** Small text as it is, large text as a blob, for use in facts. */
  readonly keep: (text: string) => Promise<TextOrBlob>;
  /** Bytes as a blob, for use in facts. */
  readonly keepBytes: (bytes: Uint8Array) => Promise<string>;
}

export interface RecordedAt {
  readonly id: string;
  readonly seq: number;
  readonly at: string;
}
