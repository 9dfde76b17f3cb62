import { z } from "zod";
import { EventWire, NomosError, SessionId, SessionWire } from "../../contract/index.ts";
import { idIn, Session, sessionStream } from "../../kernel/index.ts";
import type { EventPage } from "../../store/index.ts";
import { readPath } from "../../supervisor/index.ts";
import { type Context, read, type Syscall, stream } from "../define.ts";
import { Limit } from "../query-text.ts";
import { sessionRowOf, showSession } from "./answer.ts";
import { sessionDelegates } from "./delegates.ts";
import { lastLines } from "./lines.ts";
import { sessionDocuments, sessionList } from "./list.ts";
import { onlyShown, streamAll, streamSession } from "./stream-events.ts";
import { waitForTurn } from "./wait.ts";

const EVENTS_MAX = 1000;
const LINES_MAX = 2000;
const Cursor = z
  .union([z.number().int().min(0), z.string().max(64)])
  .optional()
  .describe("a `next`, a `seq`, an event id, or `now`; reading starts after it");
const Since = Cursor.describe("same as `after`, for clients of other AIP-46 hosts");
const Types = z
  .union([z.array(z.string()), z.string().transform((text) => text.split(","))])
  .optional()
  .describe("only events of these types, with or without version");

export const sessionRead: readonly Syscall[] = [
  sessionList,
  read({
    name: "session.show",
    summary: "Show one session",
    permission: "session.read",
    about: "session",
    input: z.object({ id: SessionId }),
    output: SessionWire,
    errors: ["session_not_found", "ambiguous_id"],
    http: { method: "GET", path: "/sessions/:id" },
    cli: { positional: ["id"] },
    mcp: {
      resource: { uri: "nomos://sessions/{id}", title: "A session as it is now", mediaType: "application/json" },
      lists: (session) => ({ documents: sessionDocuments(session), next: null }),
    },
    answer: (context, { id }) => showSession(context, id),
  }),
  sessionDelegates,
  read({
    name: "session.events",
    summary: "List a session's events by page: the whole stream, or only its current path",
    permission: "session.read",
    about: "session",
    input: z.object({
      id: SessionId,
      after: Cursor,
      since: Since,
      limit: Limit(EVENTS_MAX),
      view: z.enum(["raw", "path"]).optional(),
      order: z.enum(["asc", "desc"]).optional(),
      types: Types,
      turnId: z.string().max(64).optional(),
    }),
    output: z.object({ events: z.array(EventWire), next: z.number().int().nullable() }),
    errors: ["session_not_found", "event_not_found"],
    http: { method: "GET", path: "/sessions/:id/events" },
    cli: { positional: ["id"] },
    answer: async (context, input) => eventPage(await pageOf(context, input)),
  }),
  read({
    name: "session.output",
    summary: "Show the last lines of a session's transcript",
    permission: "session.read",
    about: "session",
    input: z.object({ id: SessionId, lastN: Limit(LINES_MAX) }),
    output: z.object({
      id: z.string(),
      lines: z.array(z.object({ line: z.string(), stream: z.enum(["stdout", "stderr"]) })),
    }),
    errors: ["session_not_found"],
    http: { method: "GET", path: "/sessions/:id/output" },
    cli: { positional: ["id"] },
    mcp: {
      aliases: { agent_output: { sessionId: "id" }, get_agent_session_output: { sessionId: "id" } },
      resource: {
        uri: "nomos://sessions/{id}/transcript",
        title: "What a session said and did",
        mediaType: "text/plain",
      },
      shows: ({ lines }) => [{ mediaType: "text/plain", content: { text: lines.map(({ line }) => line).join("\n") } }],
    },
    answer: async (context, { id, lastN }) => {
      await sessionRowOf(context, id);
      return { id, lines: [...(await lastLines(context.services.store, id, lastN ?? 200))] };
    },
  }),
  read({
    name: "session.wait",
    summary: "Wait until a session is idle, or until one turn has ended",
    permission: "session.read",
    about: "session",
    input: z.object({
      id: SessionId,
      turnId: z.string().max(64).optional(),
      timeoutMs: z.coerce.number().int().min(0).max(3_600_000).optional(),
    }),
    output: z.object({ session: SessionWire, turn: z.object({ turnId: z.string(), outcome: z.string() }).nullable() }),
    errors: ["session_not_found", "turn_not_found", "wait_timeout"],
    http: { method: "GET", path: "/sessions/:id/wait" },
    cli: { positional: ["id"], short: "wait" },
    answer: (context, { id, turnId, timeoutMs }) => waitForTurn(context, id, turnId ?? null, timeoutMs ?? 600_000),
  }),
  read({
    name: "session.search",
    summary: "Search the text of all sessions",
    permission: "session.list",
    heavy: true,
    about: "system",
    input: z.object({ q: z.string().min(1).max(500), limit: Limit(100) }),
    output: z.object({
      hits: z.array(
        z.object({ sessionId: z.string(), eventId: z.string(), snippet: z.string(), session: SessionWire }),
      ),
    }),
    errors: ["overloaded"],
    http: { method: "GET", path: "/api/sessions/search" },
    cli: { positional: ["q"] },
    answer: async (context, { q, limit }) => {
      const found = await context.services.store.search(q, limit ?? 20, Session);
      const hits = await Promise.all(
        found.map(async ({ stream, eventId, snippet }) => {
          const sessionId = idIn(Session, stream) ?? "";
          const session = await showSession(context, sessionId).catch(() => null);
          return session === null ? [] : [{ sessionId, eventId, snippet, session }];
        }),
      );
      return { hits: hits.flat() };
    },
  }),
  stream({
    name: "session.stream",
    summary: "Follow a session live: lines, events, partial text and state changes",
    permission: "session.read",
    about: "session",
    input: z.object({
      id: SessionId,
      after: Cursor,
      since: Since,
      show: z.enum(["all", "lines", "events"]).optional().describe("only lines, only events, or everything"),
    }),
    output: z.object({ line: z.string(), stream: z.enum(["stdout", "stderr"]) }),
    errors: ["session_not_found"],
    http: { method: "GET", path: "/sessions/:id/stream" },
    cli: { positional: ["id"] },
    items: async (context, { id, after, since, show }) => {
      await sessionRowOf(context, id);
      return onlyShown(streamSession(context, id, await seqOf(context, after ?? since)), show ?? "all");
    },
  }),
  stream({
    name: "event.stream",
    summary: "Follow all events of all sessions live",
    permission: "audit.read",
    about: "system",
    input: z.object({ after: Cursor }),
    output: EventWire,
    errors: [],
    http: { method: "GET", path: "/api/events" },
    cli: { positional: [] },
    items: async (context, { after }) =>
      streamAll(context, after === undefined ? await context.services.store.lastSeq() : await seqOf(context, after)),
  }),
  read({
    name: "event.show",
    summary: "Show one event by its id",
    permission: "audit.read",
    about: "system",
    input: z.object({ eventId: z.string().max(64) }),
    output: EventWire,
    errors: ["event_not_found"],
    http: { method: "GET", path: "/api/events/:eventId" },
    cli: { positional: ["eventId"] },
    answer: async ({ services }, { eventId }) => {
      const event = await services.store.event(eventId);
      if (event === null) throw new NomosError("event_not_found", { eventId });
      return { ...event, data: event.data as z.input<typeof EventWire>["data"] };
    },
  }),
  read({
    name: "audit.entries",
    summary: "List all events in global order, by page",
    permission: "audit.read",
    about: "system",
    input: z.object({ after: Cursor, limit: Limit(EVENTS_MAX), types: Types }),
    output: z.object({ entries: z.array(EventWire), next: z.number().int().nullable() }),
    errors: ["event_not_found"],
    http: { method: "GET", path: "/api/audit/entries" },
    cli: { positional: [] },
    answer: async (context, { after, limit, types }) => {
      const page = await context.services.store.readAll({
        after: await seqOf(context, after),
        limit: limit ?? 100,
        ...(types === undefined ? {} : { types }),
      });
      const { events, next } = eventPage(page);
      return { entries: events, next };
    },
  }),
];

/** What a session's own token gets to see: itself, and those below it. */
interface PageInput {
  readonly id: string;
  readonly after?: string | number | undefined;
  readonly since?: string | number | undefined;
  readonly limit?: number | undefined;
  readonly view?: "raw" | "path" | undefined;
  readonly order?: "asc" | "desc" | undefined;
  readonly types?: readonly string[] | undefined;
  readonly turnId?: string | undefined;
}

async function pageOf(context: Context, input: PageInput): Promise<EventPage> {
  const { store } = context.services;
  const { id, types, turnId } = input;
  await sessionRowOf(context, id);
  const limit = input.limit ?? 100;
  const from = input.after ?? input.since;
  const cursor = from === undefined ? undefined : await seqOf(context, from);
  const query = {
    limit,
    ...(types === undefined ? {} : { types }),
    ...(turnId === undefined ? {} : { turnId }),
    ...(input.order === "desc" ? { descending: true } : {}),
    ...(cursor === undefined ? {} : { [input.order === "desc" ? "before" : "after"]: cursor }),
  };
  if (input.view !== "path") return store.readStream(sessionStream(id), query);
  return readPath(store, await store.fold(Session, id), query);
}

function eventPage(page: EventPage) {
  return {
    events: page.events.map((event) => ({ ...event, data: event.data as z.input<typeof EventWire>["data"] })),
    next: page.next,
  };
}

/** A cursor is a position or an event's id. */
async function seqOf(context: Context, cursor: string | number | undefined): Promise<number> {
  if (cursor === undefined) return 0;
  if (cursor === "now") return context.services.store.lastSeq();
  const position = typeof cursor === "number" ? cursor : /^\d+$/.test(cursor) ? Number(cursor) : null;
  if (position !== null) return position;
  const event = await context.services.store.event(String(cursor));
  if (event === null) throw new NomosError("event_not_found", { after: cursor });
  return event.seq;
}
