import type { EffectResult } from "../../../turns/index.ts";
import type { ToolResult } from "../../tool.ts";
import { RESULT_CHARS_MAX, wholeChars } from "./shown.ts";

export function done(text: string, more: Pick<ToolResult, "places" | "diffs"> = {}): ToolResult {
  return { content: [{ kind: "text", text: cutResult(text) }], isError: false, ...more };
}

/** What failed, and what to do instead: a model acts on what it reads here. */
export function failed(text: string, more: Pick<ToolResult, "places" | "diffs"> = {}): ToolResult {
  return { ...done(text, more), isError: true };
}

/** Null when the effect was done; otherwise why not. */
export function notDone(what: string, { outcome, message }: EffectResult): string | null {
  if (outcome === "done") return null;
  const reason = message === null || message === "" ? "no reason was given" : message;
  return outcome === "refused"
    ? `${what} was refused: ${reason}. Nothing was changed. Do not try the same again another way; ask the user if it is needed.`
    : `${what} failed: ${reason}`;
}

/** The code of a typed error of the world; null for a bug. */
export function codeOf(error: unknown): string | null {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return typeof code === "string" ? code : null;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function cutResult(text: string): string {
  if (text.length <= RESULT_CHARS_MAX) return text;
  return `${wholeChars(text.slice(0, RESULT_CHARS_MAX - CUT_NOTE.length))}${CUT_NOTE}`;
}

const CUT_NOTE = "\n[cut: the result is too long; ask for less]";
