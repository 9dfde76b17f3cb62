import { NomosError } from "../../contract/index.ts";
import { dataIn, SESSION_EVENTS, SESSIONS, sessionStream } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";

/** As `git log --oneline` shows it whole. */
const SUBJECT_CHARS_MAX = 72;
const BODY_CHARS_MAX = 4000;
const MESSAGES_READ = 20;

/** What a commit's message says when nobody wrote one: the session's title, and what its agent said last. */
export async function draftMessage(store: Pick<Store, "row" | "readStream">, sessionId: string): Promise<string> {
  const session = await store.row(SESSIONS, sessionId);
  if (session === null) throw new NomosError("session_not_found", { id: sessionId });
  const subject = subjectOf(session.title ?? `Work of the session ${session.name}`);
  const body = await lastWords(store, sessionId);
  return body === "" || body === subject ? subject : `${subject}\n\n${body}`;
}

/** Cut between words. */
function subjectOf(title: string): string {
  const line = title.replaceAll(/\s+/g, " ").trim();
  if (line.length <= SUBJECT_CHARS_MAX) return line;
  const cut = line.slice(0, SUBJECT_CHARS_MAX - 1);
  const end = cut.lastIndexOf(" ");
  return `${(end > SUBJECT_CHARS_MAX / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`;
}

async function lastWords(store: Pick<Store, "readStream">, sessionId: string): Promise<string> {
  const query = { limit: MESSAGES_READ, types: ["message.completed"], descending: true };
  const { events } = await store.readStream(sessionStream(sessionId), query);
  const said = events
    .map((event) => dataIn(SESSION_EVENTS, [event], "message.completed@1"))
    .find((message) => message?.role === "assistant");
  const lines = (said?.text ?? "").slice(0, BODY_CHARS_MAX).toWellFormed().split("\n");
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}
