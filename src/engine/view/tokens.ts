import type { AnswerPart, Image, Message, Text, ToolSpec } from "../model.ts";
import type { Entry } from "./entry.ts";
import type { Transcript } from "./transcript.ts";

const CHARS_PER_TOKEN = 4;
const IMAGE_TOKENS = 1200;

/** A rough count, the same for all providers: no tokenizer is asked. */
export function estimateTokens(given: string | Message): number {
  if (typeof given === "string") return Math.max(1, Math.ceil(given.length / CHARS_PER_TOKEN));
  if (given.role === "tool") return sum(given.results.flatMap(({ content }) => content).map(partTokens));
  return sum(given.content.map(partTokens));
}

/** Estimated tokens of an entry: what was said, and the results of its calls. */
export function entryTokens(entry: Entry): { readonly said: number; readonly results: number } {
  const [results, said] = [true, false].map((isResult) =>
    sum(
      entry
        .messages()
        .filter(({ role }) => (role === "tool") === isResult)
        .map(estimateTokens),
    ),
  );
  return { said: said ?? 0, results: results ?? 0 };
}

/** Tokens of an entry with all it contains. */
export function allTokens(entry: Entry): number {
  const { said, results } = entryTokens(entry);
  return said + results;
}

export function toolTokens(tools: readonly ToolSpec[]): number {
  return sum(tools.map((tool) => estimateTokens(JSON.stringify(tool))));
}

/**
 * Tokens that the next request will have: what the last good answer used, and an estimate of what followed it. All of it
 * is estimated after a compaction, and for another model than the one that counted.
 */
export function contextTokens(
  transcript: Transcript,
  next: { readonly model?: string; readonly tools?: readonly ToolSpec[] } = {},
): number {
  const entries = transcript.entries();
  const usage = transcript.usage();
  if (usage !== null && usage.model === (next.model ?? transcript.model())) {
    const at = entries.lastIndexOf(usage.entry);
    return usage.tokens + entryTokens(usage.entry).results + sum(entries.slice(at + 1).map(allTokens));
  }
  const system = transcript.system();
  const summary = transcript.compaction()?.message;
  return (
    (system === "" ? 0 : estimateTokens(system)) +
    toolTokens(next.tools ?? []) +
    (summary === undefined ? 0 : estimateTokens(summary)) +
    sum(entries.map(allTokens))
  );
}

function partTokens(part: AnswerPart | Text | Image): number {
  switch (part.kind) {
    case "image":
      return IMAGE_TOKENS;
    case "call":
      return estimateTokens(part.name + part.input);
    default:
      return estimateTokens(part.text);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
