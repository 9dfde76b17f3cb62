import type { DriverFact, Json, TextOrBlob, TodoItem } from "../kernel/index.ts";

/** What a turn tells the log. Durable when a call resolves; refused when the turn is over. */
export interface TurnRecording {
  /** A complete message. */
  readonly say: (text: string, role?: "assistant" | "thought") => Promise<void>;
  /** As `say`, for text that went out by `stream` already. */
  readonly finishMessage: (text: string, role: "assistant" | "thought") => Promise<void>;
  /** A piece of text on its way: shown to whoever watches, not recorded. */
  readonly stream: (text: string) => void;
  readonly artifact: (
    path: string,
    bytes: Uint8Array,
    mediaType: string,
  ) => Promise<{ readonly artifactId: string; readonly version: number }>;
  readonly todo: (items: readonly TodoItem[]) => Promise<void>;
  readonly event: (name: string, payload: Json) => Promise<void>;
  readonly record: (facts: readonly DriverFact[]) => Promise<void>;
  /** Small text as it is, large text as a blob: what facts are made of. */
  readonly keep: (text: string) => Promise<TextOrBlob>;
}
