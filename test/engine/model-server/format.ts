import type { AnsweredCall, Answering, WireError, WireUsage } from "./behaviour.ts";

/** How one vendor's endpoint writes an answer. */
export interface Format {
  readonly name: FormatName;
  readonly matches: (path: string) => boolean;
  readonly contentType: string;
  readonly events: (answer: Answering, usage: WireUsage | null, number: number) => readonly (string | Uint8Array)[];
  readonly error: (error: WireError) => string | Uint8Array;
}

export type FormatName = "anthropic" | "chat" | "responses" | "gemini" | "bedrock";

export const EVENT_STREAM = "text/event-stream";
const PIECE_CHARS = 7;

export function piecesOf(text: string): readonly string[] {
  return text.match(new RegExp(`.{1,${PIECE_CHARS}}`, "gsu")) ?? [];
}

export function callId({ id }: AnsweredCall, number: number, at: number): string {
  return id ?? `call_${number}_${at}`;
}

export function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

export function event(type: string, value: object): string {
  return `event: ${type}\n${data({ type, ...value })}`;
}
