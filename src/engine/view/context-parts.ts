import type { ToolSpec } from "../model.ts";
import type { Entry } from "./entry.ts";
import { todoText } from "./todo-text.ts";
import { entryTokens, estimateTokens, toolTokens } from "./tokens.ts";
import type { Transcript } from "./transcript.ts";

/** A part of the context, for people who ask what fills it. */
export interface CountedPart {
  readonly name: string;
  readonly source: string;
  /** Estimated. */
  readonly tokens: number;
}

/** What the next request contains: the system prompt, tools, summary, messages. Parts without tokens are left out. */
export function contextParts(transcript: Transcript, tools: readonly ToolSpec[]): readonly CountedPart[] {
  const entries = transcript.entries();
  const summary = transcript.compaction()?.message;
  const todo = todoText(transcript.todo());
  const count = (kind: (entry: Entry) => number) => entries.reduce((tokens, entry) => tokens + kind(entry), 0);
  const said = (isUser: boolean) => (entry: Entry) =>
    (entry.kind !== "step" && entry.kind !== "plain") === isUser ? entryTokens(entry).said : 0;
  return [
    ...transcript.systemParts().map(({ name, source, text }) => ({ name, source, tokens: textTokens(text) })),
    { name: "tools", source: `${tools.length} tools`, tokens: toolTokens(tools) },
    { name: "summary", source: "compaction", tokens: summary === undefined ? 0 : estimateTokens(summary) },
    { name: "prompts", source: "messages", tokens: count(said(true)) },
    { name: "answers", source: "messages", tokens: count(said(false)) },
    { name: "tool results", source: "messages", tokens: count((entry) => entryTokens(entry).results) },
    { name: "todo", source: "session", tokens: textTokens(todo) },
  ].filter(({ tokens }) => tokens > 0);
}

function textTokens(text: string): number {
  return text === "" ? 0 : estimateTokens(text);
}
