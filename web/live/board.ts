import type { Approval, Client, LogEvent, StreamItem } from "../../src/client/index.ts";
import { memberOf } from "../../src/kernel/index.ts";
import type { Row, ToTab } from "./messages.ts";

/** What the hub knows of all sessions and questions. Changes go out together. */
export interface Board {
  /** Reads everything; what is not there any more is gone. */
  readonly load: (client: Client, signal: AbortSignal) => Promise<void>;
  readonly hear: (item: StreamItem) => void;
  /** Reads the last line that a session said, unless one is known. */
  readonly look: (client: Client | null, id: string) => Promise<void>;
  /** For a tab that just came. */
  readonly all: () => readonly ToTab[];
}

const PAGE = 500;
const SESSIONS_MAX = 5_000;
/** Of the sessions that ended, the newest are enough; the search finds the others. */
const ENDED_MAX = 200;
const TOGETHER_MS = 24;
const QUESTIONS_FEW = 20;
const LAST_LINES = 10;
const LINE_CHARS_MAX = 300;
const TURN_END = "──";
/** As live, when the event itself is there. */
const TOOL_LINE = /^\[(?:tool\] (\w+):|awaiting input\]) /;

export function createBoard(toAll: (message: ToTab) => void): Board {
  const rows = new Map<string, Row>();
  const questions = new Map<string, Approval>();
  let changed = new Set<string>();
  let gone = new Set<string>();
  let events: LogEvent[] = [];
  let haveQuestionsChanged = false;
  /** What was heard while the lists are read is newer than they are. */
  let heard = new Set<string>();
  let refill: () => void = () => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const send = (): void => {
    timer = undefined;
    const news = [...changed].flatMap((id) => rows.get(id) ?? []);
    if (news.length > 0 || gone.size > 0) toAll({ kind: "rows", rows: news, gone: [...gone], isAll: false });
    if (haveQuestionsChanged) toAll(questionsMessage());
    if (events.length > 0) toAll({ kind: "events", events });
    changed = new Set();
    gone = new Set();
    events = [];
    haveQuestionsChanged = false;
  };
  const soon = (): void => {
    if (timer === undefined) timer = setTimeout(send, TOGETHER_MS);
  };
  const questionsMessage = (): ToTab => ({ kind: "questions", questions: [...questions.values()] });
  const rowsMessage = (): ToTab => ({ kind: "rows", rows: [...rows.values()], gone: [], isAll: true });

  const hearEvent = (event: LogEvent): void => {
    events.push(event);
    if (!event.type.startsWith("approval.")) return;
    const id = String(memberOf(event.data, "approvalId"));
    heard.add(id);
    haveQuestionsChanged = true;
    if (event.type === "approval.requested@1") questions.set(id, askedIn(event));
    // A list of thousands comes cut: when few are left the rest is read.
    else if (questions.delete(id) && questions.size === QUESTIONS_FEW) refill();
  };
  const takeQuestions = (pending: readonly Approval[], newer: ReadonlySet<string>): void => {
    for (const id of [...questions.keys()]) if (!newer.has(id)) questions.delete(id);
    for (const question of pending) if (!newer.has(question.id)) questions.set(question.id, question);
    toAll(questionsMessage());
  };

  return {
    load: async (client, signal) => {
      const newer = new Set<string>();
      heard = newer;
      const before = new Map(rows);
      const found = await readSessions(client, signal);
      const pending = await readQuestions(client, signal);
      // A later reading is under way.
      if (signal.aborted || heard !== newer) return;
      for (const id of before.keys()) if (!newer.has(id)) rows.delete(id);
      for (const session of found) {
        if (newer.has(session.id)) continue;
        const doing = before.get(session.id)?.doing;
        rows.set(session.id, doing === undefined ? session : { ...session, doing });
      }
      toAll(rowsMessage());
      takeQuestions(pending, newer);
      refill = () => {
        heard = new Set();
        const since = heard;
        void readQuestions(client, signal).then(
          (rest) => signal.aborted || takeQuestions(rest, since),
          () => undefined,
        );
      };
    },
    hear: (item) => {
      if (item.event === "session") {
        const { id } = item.data;
        heard.add(id);
        const doing = item.data.doing ?? rows.get(id)?.doing;
        rows.set(id, doing === undefined ? item.data : { ...item.data, doing });
        changed.add(id);
        gone.delete(id);
      } else if (item.event === "gone") {
        heard.add(item.data.id);
        rows.delete(item.data.id);
        gone.add(item.data.id);
      } else if (item.event === "event") hearEvent(item.data);
      else return;
      soon();
    },
    look: async (client, id) => {
      const row = rows.get(id);
      if (client === null || row === undefined || row.doing !== undefined) return;
      rows.set(id, { ...row, doing: "" });
      const doing = await lastLineOf(client, id);
      const now = rows.get(id);
      if (now === undefined || (now.doing ?? "") !== "") return;
      rows.set(id, { ...now, doing });
      changed.add(id);
      soon();
    },
    all: () => [rowsMessage(), questionsMessage()],
  };
}

async function readSessions(client: Client, signal: AbortSignal): Promise<readonly Row[]> {
  const found = new Map<string, Row>();
  let after: string | undefined;
  do {
    const input = { onlyAlive: true, limit: PAGE, ...(after === undefined ? {} : { after }) };
    const page = await client.call("session.list", input, { signal });
    for (const session of page.sessions) found.set(session.id, session);
    after = page.next ?? undefined;
  } while (after !== undefined && found.size < SESSIONS_MAX);
  const newest = await client.call("session.list", { limit: ENDED_MAX, sort: "activity" }, { signal });
  for (const session of newest.sessions) if (!found.has(session.id)) found.set(session.id, session);
  return [...found.values()];
}

/** Empty when it said nothing, or the daemon does not answer. */
async function lastLineOf(client: Client, id: string): Promise<string> {
  const { lines } = await client.call("session.output", { id, lastN: LAST_LINES }).catch(() => ({ lines: [] }));
  const last = lines.findLast(({ line }) => line.trim() !== "" && !line.startsWith(TURN_END));
  return last?.line.replace(TOOL_LINE, "$1 ").slice(0, LINE_CHARS_MAX) ?? "";
}

async function readQuestions(client: Client, signal: AbortSignal): Promise<readonly Approval[]> {
  const { approvals } = await client.call("approval.list", { status: "pending" }, { signal });
  return approvals.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/** The question as `approval.list` would give it. */
function askedIn({ stream, at, data }: LogEvent): Approval {
  const text = (key: string): string => String(memberOf(data, key) ?? "");
  const options = memberOf(data, "options");
  const [action, detail] = [memberOf(data, "action"), memberOf(data, "detail")];
  const [verb, resource] = [memberOf(action, "verb"), memberOf(action, "resource")];
  return {
    id: text("approvalId"),
    sessionId: stream.slice("session/".length),
    turnId: text("turnId"),
    status: "pending",
    question: text("question"),
    options: Array.isArray(options) ? options.map(String) : [],
    ...(typeof verb === "string" && typeof resource === "string" ? { action: { verb, resource } } : {}),
    createdAt: at,
    ...(typeof detail === "object" && detail !== null ? { detail: texts(detail) } : {}),
  };
}

function texts(detail: object): NonNullable<Approval["detail"]> {
  const found = Object.entries(detail).filter(([, value]) => typeof value === "string" && value !== "");
  return Object.fromEntries(found);
}
