import type { SessionState } from "../kernel/index.ts";
import type { RecordedEvent, Store } from "../store/index.ts";
import { readPath } from "./lineage.ts";

const EVENTS_READ = 200;
const DIGEST_CHARS = 24_000;
const PIECE_CHARS = 4000;

/** What was said on the current path, newest kept: for an agent that has to go on without remembering it. */
export async function digestOf(store: Store, state: SessionState): Promise<string> {
  const types = ["turn.admitted", "message.completed", "tool.called", "effect.intended", "turn.ended"];
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

function lineOf({ type, data }: RecordedEvent, running: string | null): string | null {
  if (typeof data !== "object" || data === null) return null;
  const member = (key: string): unknown => Reflect.get(data, key);
  if (member("turnId") === running) return null;
  const text = (key: string) => String(member(key) ?? "").slice(0, PIECE_CHARS);
  switch (type) {
    case "turn.admitted@1":
      return `[person] ${text("prompt")}`;
    case "message.completed@1":
      return member("role") === "assistant" ? `[you] ${text("text")}` : null;
    case "tool.called@1":
      return `[tool] ${text("title")}`;
    case "effect.intended@1":
      return `[tool] ${text("kind")}: ${JSON.stringify(member("detail")).slice(0, 300)}`;
    case "turn.ended@1":
      return member("outcome") === "completed" ? null : `[turn ${text("outcome")}]`;
    default:
      return null;
  }
}
