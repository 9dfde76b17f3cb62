import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { SessionWire, sessionWire } from "../../contract/index.ts";
import { activityOf } from "../../domains/index.ts";
import { SESSIONS } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { type Context, type StreamItem, type Syscall, stream } from "../define.ts";
import { Cursor, seqOf } from "../event/event-page.ts";

const DOING_CHARS_MAX = 300;
/** Changes within this time are sent together. */
const TOGETHER_MS = 30;
/** Where reading the rows takes long, a watcher waits this many times as long before it reads again. */
const REST_FACTOR = 4;
const SESSION_STREAM = "session/";
const QUESTION = /^approval\./;

/** Unlike `event.stream` it carries no contents of the log: a thousand busy sessions are a few rows a second. */
export const sessionWatch: Syscall = stream({
  name: "session.watch",
  summary: "Follow all sessions: each as it is after a change, questions, and changes outside of sessions",
  permission: "audit.read",
  roles: ["viewer"],
  needs: ["store"],
  about: "system",
  input: z.object({ after: Cursor }),
  output: SessionWire.extend({
    doing: z.string().optional().describe("the tool at work, or the last line it said, if that changed"),
  }),
  errors: [],
  http: { method: "GET", path: "/api/sessions/stream" },
  cli: { positional: [] },
  items: async (context, { after }) =>
    watch(context, after === undefined ? await context.services.store.lastSeq() : await seqOf(context, after)),
});

async function* watch(context: Context<"store">, after: number): AsyncGenerator<StreamItem> {
  const { signal } = context;
  for await (const events of context.services.store.tail({ after, signal })) {
    const beganMs = performance.now();
    yield* itemsOf(context, events);
    const restMs = Math.max(TOGETHER_MS, (performance.now() - beganMs) * REST_FACTOR);
    await sleep(restMs, undefined, { signal }).catch(() => undefined);
  }
}

async function* itemsOf(context: Context<"store">, events: readonly RecordedEvent[]): AsyncGenerator<StreamItem> {
  const changed = new Map<string, string | null>();
  for (const event of events) {
    const isOfSession = event.stream.startsWith(SESSION_STREAM);
    if (!isOfSession || QUESTION.test(event.type)) yield { event: "event", id: event.seq, data: event };
    if (!isOfSession) continue;
    const id = event.stream.slice(SESSION_STREAM.length);
    changed.set(id, activityOf(event) ?? changed.get(id) ?? null);
  }
  for (const [id, doing] of changed) {
    const row = await context.services.store.row(SESSIONS, id);
    if (row === null || row.forgotten) yield { event: "gone", data: { id } };
    else {
      const said = doing === null ? {} : { doing: doing.slice(0, DOING_CHARS_MAX) };
      yield { event: "session", data: { ...sessionWire(row), ...said } };
    }
  }
}
