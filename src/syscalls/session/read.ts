import * as z from "zod";
import { EventWire, SessionId, SessionWire } from "../../contract/index.ts";
import { idIn, Session, sessionStream } from "../../kernel/index.ts";
import type { EventPage } from "../../store/index.ts";
import { readPath } from "../../supervisor/index.ts";
import { type Context, read, type Syscall, stream } from "../define.ts";
import { Cursor, EVENTS_MAX, eventPage, Since, seqOf, Types } from "../event/event-page.ts";
import { Limit } from "../query-text.ts";
import { onlyShown, streamSession } from "../stream-events.ts";
import { sessionRowOf, showSession } from "./answer.ts";
import { lastLines } from "./lines.ts";
import { sessionDocuments } from "./list.ts";
import { waitForTurn } from "./wait.ts";

const LINES_MAX = 2000;

export const sessionRead: readonly Syscall[] = [
  read({
    name: "session.show",
    summary: "Show one session",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["bounds", "store"],
    about: "session",
    input: z.object({ id: SessionId }),
    output: SessionWire,
    errors: ["session_not_found", "ambiguous_id"],
    http: { method: "GET", path: "/sessions/:id" },
    cli: {
      positional: ["id"],
      card: [
        ["name", "{name}"],
        ["title", "{title}"],
        ["label", "{label}"],
        ["state", "{state}"],
        ["waiting for", "{waitingFor}"],
        ["waiting until", "{waitingUntil}"],
        ["agent", "{agent}"],
        ["driver", "{adapterSlug}"],
        ["folder", "{cwd}"],
        ["workspace", "{workspaceSlug}"],
        ["sandbox", "{sandbox}"],
        ["queued", "{queued|prompt}"],
        ["started", "{startedAt|age}"],
        ["last output", "{lastOutputAt|age}"],
        ["ended", "{endedAt|age}"],
        ["exit code", "{exitCode}"],
        ["error", "{error.message} ({error.code})"],
        ["started by", "{parentSessionId}"],
        ["forked from", "{forkedFrom.sessionId}"],
        ["tokens", "{spent.input|count} in, {spent.output|count} out"],
        ["cost", "{spent.costUsd|dollars}"],
        ["stored", "{usage.events|event}, {usage.bytes|bytes}"],
        ["archived", "{archived.at|age}"],
        ["archive", "{archived.file}"],
        ["id", "{id}"],
      ],
    },
    mcp: {
      toolsets: ["core", "inside"],
      resource: { uri: "nomos://sessions/{id}", title: "A session as it is now", mediaType: "application/json" },
      lists: (session) => ({ documents: sessionDocuments(session), next: null }),
    },
    answer: (context, { id }) => showSession(context, id),
  }),
  read({
    name: "session.events",
    summary: "List a session's events by page: the whole stream, or only its current path",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["store"],
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
    roles: ["viewer", "session", "below"],
    needs: ["store"],
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
      toolsets: ["core", "inside"],
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
    roles: ["viewer", "session", "below"],
    needs: ["bounds", "store"],
    about: "session",
    input: z.object({
      id: SessionId,
      turnId: z.string().max(64).optional(),
      timeoutMs: z.coerce.number().int().min(0).max(3_600_000).optional(),
    }),
    output: z.object({ session: SessionWire, turn: z.object({ turnId: z.string(), outcome: z.string() }).nullable() }),
    errors: ["session_not_found", "turn_not_found", "wait_timeout"],
    http: { method: "GET", path: "/sessions/:id/wait" },
    cli: {
      positional: ["id"],
      short: "wait",
      succeeds: { member: "turn.outcome", value: "completed" },
      says: [
        "{session.name} is {session.state}.",
        "The turn ended: {turn.outcome}.",
        ["session.waitingFor", "approval", "It waits for an approval. Next: nomos approve {session.name}"],
      ],
    },
    mcp: { toolsets: ["core", "inside"] },
    answer: (context, { id, turnId, timeoutMs }) => waitForTurn(context, id, turnId ?? null, timeoutMs ?? 600_000),
  }),
  read({
    name: "session.search",
    summary: "Search the text of all sessions",
    permission: "session.list",
    roles: ["viewer", "session"],
    needs: ["bounds", "store"],
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
    roles: ["viewer", "session", "below"],
    needs: ["bounds", "frames", "store"],
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
];

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

async function pageOf(context: Context<"store">, input: PageInput): Promise<EventPage> {
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
