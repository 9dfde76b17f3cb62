import { canonicalJson, type Json } from "../../kernel/index.ts";
import type { AnswerPart } from "../model.ts";
import { shown } from "./decisions.ts";

export interface AnswerDifference {
  readonly in: "calls" | "text";
  readonly recorded: string;
  readonly replayed: string;
}

/** How two answers differ: in what would be done, or, where both only speak, in what is said. Null: not at all. */
export function differenceOf(
  recorded: readonly AnswerPart[],
  replayed: readonly AnswerPart[],
  { callsOnly }: { readonly callsOnly: boolean },
): AnswerDifference | null {
  const [before, now] = [callsIn(recorded), callsIn(replayed)];
  const inCalls = before !== now;
  if (inCalls)
    return {
      in: "calls",
      recorded: shown(before ?? textIn(recorded), now ?? textIn(replayed)),
      replayed: shown(now ?? textIn(replayed), before ?? textIn(recorded)),
    };
  if (callsOnly || before !== null) return null;
  const [said, says] = [textIn(recorded), textIn(replayed)];
  return said === says ? null : { in: "text", recorded: shown(said, says), replayed: shown(says, said) };
}

/** Names and inputs in one spelling; null: no call. */
function callsIn(parts: readonly AnswerPart[]): string | null {
  const calls = parts.flatMap((part) => (part.kind === "call" ? [`${part.name} ${inputOf(part.input)}`] : []));
  return calls.length === 0 ? null : calls.join("\n");
}

function inputOf(input: string): string {
  try {
    return canonicalJson(JSON.parse(input) as Json);
  } catch {
    // A model may write anything; then the same text is the same input.
    return input;
  }
}

/** Spaces and line breaks say nothing about a decision. */
function textIn(parts: readonly AnswerPart[]): string {
  return parts
    .flatMap((part) => (part.kind === "text" ? part.text : []))
    .join("\n")
    .replace(/\s+/g, " ")
    .trim();
}
