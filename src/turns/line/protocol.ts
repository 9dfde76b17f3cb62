import type { Json } from "../../kernel/index.ts";
import type { ResumedQuestion } from "../identity.ts";

/**
 * Lines of JSON between the daemon and the process of a user's driver file. Lines to the daemon begin with a secret
 * mark, so that other output of the file (or of a program it starts) is taken for plain output.
 */
export interface TurnOrder {
  readonly kind: "turn";
  readonly mark: string;
  readonly file: string;
  readonly input: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly cwd: string;
  /** The driver checkpoint of the first open question of an earlier run; null for a new turn. */
  readonly checkpoint: Json;
  readonly resumed: readonly ResumedQuestion[];
}

export type ToScript =
  | TurnOrder
  | { readonly kind: "answer"; readonly id: number; readonly value: Json }
  | { readonly kind: "refusal"; readonly id: number; readonly code: string; readonly message: string }
  | { readonly kind: "output"; readonly process: string; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly kind: "abort" };

export type FromScript =
  | { readonly kind: "call"; readonly id: number; readonly method: string; readonly args: readonly Json[] }
  | { readonly kind: "end" }
  | { readonly kind: "fail"; readonly code: "driver_failed" | "driver_file_invalid"; readonly message: string };

export const SCRIPT_METHODS = [
  "say",
  "stream",
  "run",
  "write",
  "read",
  "output",
  "reach",
  "ask",
  "artifact",
  "todo",
  "event",
  "start",
  "processWrite",
  "processCloseInput",
  "processWait",
  "processCancel",
] as const;
export type ScriptMethod = (typeof SCRIPT_METHODS)[number] | `tool:${string}`;

export const LINE_BYTES_MAX = 8_388_608;
