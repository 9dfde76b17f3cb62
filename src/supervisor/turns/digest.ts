import { type SessionState, sessionFact } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { readPath } from "../life/lineage.ts";

const EVENTS_READ = 200;
const DIGEST_CHARS = 24_000;
const PIECE_CHARS = 4000;

/** The newest messages of the current path, for an agent that cannot restore its memory. */
export async function digestOf(store: Store, state: SessionState): Promise<string> {
  const types = [
    "turn.admitted",
    "message.completed",
    "tool.called",
    "effect.intended",
    "turn.ended",
    "context.branched",
  ];
  const { events } = await readPath(store, state, { limit: EVENTS_READ, types, descending: true });
  const running = state.phase.at === "busy" ? state.phase.turnId : null;
  const lines: string[] = [];
  let chars = 0;
  for (const event of events) {
    const line = lineOf(event, running);
    if (line === null) continue;
    chars += line.length;
    if (chars > DIGEST_CHARS) break;
    lines.unshift(line);
  }
  const todo = state.view.todo.map(({ status, text }) => `- [${status}] ${text}`);
  return [
    "This session goes on from earlier work that you do not remember. What was said and done, oldest first:",
    "",
    ...lines,
    ...(todo.length === 0 ? [] : ["", "Todo:", ...todo]),
    "",
    "That was the past; look at the files before you rely on it. Now:",
    "",
    "",
  ].join("\n");
}

function lineOf(event: RecordedEvent, running: string | null): string | null {
  const fact = sessionFact(event);
  if (fact === null || ("turnId" in fact.data && fact.data.turnId === running)) return null;
  switch (fact.type) {
    case "turn.admitted@1":
      return `[person] ${piece(fact.data.prompt)}`;
    case "message.completed@1":
      return fact.data.role === "assistant" ? `[you] ${piece(fact.data.text)}` : null;
    case "tool.called@1":
      return `[tool] ${piece(fact.data.title)}`;
    case "effect.intended@1":
      return `[tool] ${fact.data.kind}: ${JSON.stringify(fact.data.detail).slice(0, 300)}`;
    case "context.branched@1":
      return `[tried and left] ${piece(fact.data.summary.text)}`;
    case "turn.ended@1":
      return fact.data.outcome === "completed" ? null : `[turn ${fact.data.outcome}]`;
    default:
      return null;
  }
}

function piece(text: string): string {
  return text.slice(0, PIECE_CHARS);
}
