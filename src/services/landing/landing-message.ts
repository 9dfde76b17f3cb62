import type { LandingOrder } from "../../domains/index.ts";
import { type SessionState, sessionFact, sessionStream } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { loadText } from "../../turns/index.ts";

const SUBJECT_CHARS_MAX = 72;
const BODY_CHARS_MAX = 4000;
const MESSAGES_READ = 50;

/** The commit's message without trailers: as it was given, else of the session's own words. */
export async function landingMessage(
  store: Store,
  { message, turnId }: Pick<LandingOrder, "message" | "turnId">,
  state: SessionState,
  template: string,
): Promise<string> {
  if (message !== null) return message;
  const closing = turnId === null ? "" : await closingMessage(store, state.id, turnId);
  return composeMessage({ ...namesOf(state), closing, template });
}

interface Words {
  readonly name: string;
  readonly label: string | null;
  readonly title: string | null;
  /** The last thing that the agent said. */
  readonly closing: string;
  /** What the person begins their messages with. */
  readonly template: string;
}

export function composeMessage({ name, label, title, closing, template }: Words): string {
  const said = plain(closing);
  const [first = ""] = said.split("\n");
  const subject = [label, title, first].map((words) => plain(words ?? "").split("\n")[0] ?? "").find(Boolean);
  // A template of one line is what subjects begin with; a longer one is a form, which comes after them.
  const isPrefix = template !== "" && !template.includes("\n");
  const head = cut(isPrefix ? `${template} ${subject ?? name}` : (subject ?? `Land ${name}`), SUBJECT_CHARS_MAX);
  const rest = said === first && head.endsWith(first) ? "" : cut(said, BODY_CHARS_MAX);
  return [head, rest, isPrefix ? "" : template].filter(Boolean).join("\n\n");
}

/** Null before the first turn. */
export function lastTurnOf({ recentTurns }: SessionState): string | null {
  return recentTurns.at(-1)?.turnId ?? null;
}

function namesOf({ spec, label, title }: SessionState): Pick<Words, "name" | "label" | "title"> {
  return { name: spec?.name ?? "a session", label, title: title ?? null };
}

async function closingMessage(store: Store, sessionId: string, turnId: string): Promise<string> {
  const query = { types: ["message.completed"], turnId, limit: MESSAGES_READ, descending: true };
  const { events } = await store.readStream(sessionStream(sessionId), query);
  for (const event of events) {
    const fact = sessionFact(event);
    if (fact?.type !== "message.completed@1" || fact.data.role !== "assistant") continue;
    return loadText(store, fact.data).catch(() => fact.data.text);
  }
  return "";
}

/** Without control characters, which a terminal would obey. */
function plain(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, "").trim();
}

/** Between words, where there is one to cut at. */
function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const kept = text.slice(0, charsMax - 1);
  const end = Math.max(kept.lastIndexOf(" "), kept.lastIndexOf("\n"));
  return `${(end > charsMax / 2 ? kept.slice(0, end) : kept).toWellFormed().trimEnd()}…`;
}
