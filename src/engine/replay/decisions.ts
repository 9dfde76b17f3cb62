import type { Json, TextOrBlob } from "../../kernel/index.ts";
import { canonicalJson } from "../../kernel/index.ts";
import type { LoadedFact } from "../view/path-event.ts";

/**
 * A fact of the loop without what is not decided: times, prices, estimates, and the names of steps and blobs. Two facts
 * with the same bytes are the same decision.
 */
export function decisionIn(fact: LoadedFact, isAnswered = true): string {
  return canonicalJson({ type: fact.type, ...membersOf(fact, isAnswered) } as unknown as Json);
}

/** `isAnswered`: the result came from the tool. What the loop itself says to a wrong input may be worded anew. */
function membersOf(fact: LoadedFact, isAnswered: boolean): object {
  switch (fact.type) {
    case "step.started@1": {
      const { model, purpose, attempt, steers } = fact.data;
      return { model, purpose, attempt, steers };
    }
    case "step.ended@1": {
      const { model, usage, stop, parts, error } = fact.data;
      return { model, usage, stop, parts, error };
    }
    case "message.completed@1":
      return { role: fact.data.role, ...textIn(fact.data) };
    case "tool.called@1": {
      const { callId, title, kind, places, input } = fact.data;
      return { callId, title, kind, places, input: input === null ? null : textIn(input) };
    }
    case "tool.ended@1": {
      const { callId, title, outcome, output } = fact.data;
      return { callId, title, outcome, output: output === null || !isAnswered ? null : textIn(output) };
    }
    case "context.composed@1":
      return { parts: fact.data.parts.map(({ name, source, ...text }) => ({ name, source, ...textIn(text) })) };
    case "context.compacted@1": {
      const { reason, focus, keptFrom, isSplitTurn, strategy, files, summary } = fact.data;
      return { reason, focus, keptFrom, isSplitTurn, strategy, files, summary: textIn(summary) };
    }
    case "context.branched@1": {
      const { from, files, summary } = fact.data;
      return { from, files, summary: textIn(summary) };
    }
    default:
      return {};
  }
}

const textIn = ({ text, bytes }: TextOrBlob) => ({ text, bytes });

const SHOWN_CHARS = 400;

/** A decision for a person: its beginning, or for two the part in which they differ. */
export function shown(decision: string, other: string | null = null): string {
  let from = 0;
  if (other !== null) while (from < decision.length && decision[from] === other[from]) from += 1;
  const start = from < SHOWN_CHARS / 2 ? 0 : from - SHOWN_CHARS / 4;
  const piece = decision.slice(start, start + SHOWN_CHARS);
  return `${start === 0 ? "" : "…"}${piece}${start + SHOWN_CHARS < decision.length ? "…" : ""}`;
}
