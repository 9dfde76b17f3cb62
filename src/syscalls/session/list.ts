import * as z from "zod";
import { SessionWire, sessionWire } from "../../contract/index.ts";
import { SESSIONS, type SessionRow } from "../../kernel/index.ts";
import { type Context, read, type Syscall } from "../define.ts";
import type { ListedDocument } from "../mcp-spelling.ts";
import { Flag, Limit } from "../query-text.ts";
import { showSession } from "./answer.ts";

const SESSIONS_MAX = 1000;
/** The sort orders that callers may choose. */
const SORTS = ["started", "activity", "name", "state"] as const;

export const sessionList: Syscall = read({
  name: "session.list",
  summary: "List the sessions, newest first",
  permission: "session.list",
  roles: ["viewer", "session"],
  needs: ["bounds", "delegation", "store"],
  about: (_input, { sessionId }) => (sessionId === null ? "system" : `session/${sessionId}`),
  input: z.object({
    onlyAlive: Flag,
    limit: Limit(SESSIONS_MAX),
    after: z.string().max(300).optional().describe("the `next` of the previous page"),
    sort: z.enum(SORTS).optional().describe("`started` and `activity`: latest first; `name` and `state`: a to z"),
    workspaceSlug: z
      .string()
      .max(64)
      .optional()
      .describe("only sessions of this workspace; `default`: sessions outside all workspaces"),
  }),
  output: z.object({ sessions: z.array(SessionWire), next: z.string().nullable() }),
  errors: [],
  http: { method: "GET", path: "/sessions" },
  cli: { positional: [], short: "ps" },
  mcp: {
    toolsets: ["core"],
    aliases: { agent_sessions_list: {}, list_agent_sessions: {} },
    lists: ({ sessions, next }) => ({ documents: sessions.flatMap(sessionDocuments), next }),
    completes: ({ sessions }) => sessions.map(({ name }) => name),
  },
  answer: async (context, input) => {
    if (context.actor.sessionId !== null) return ownList(context, context.actor.sessionId, input.onlyAlive === true);
    const limit = input.limit ?? 500;
    const by = input.sort === "started" ? undefined : input.sort;
    const rows = await context.services.store.rows(SESSIONS, {
      limit,
      where: {
        shown: true,
        ...(input.onlyAlive === true ? { alive: true } : {}),
        ...(input.workspaceSlug === undefined ? {} : { workspace: input.workspaceSlug }),
      },
      ...(by === undefined ? {} : { by, descending: by === "activity" }),
      ...(input.after === undefined ? {} : { after: placeIn(input.after) }),
    });
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return { sessions: rows.map(sessionWire), next: last === undefined ? null : cursorOf(last, by) };
  },
});

async function ownList(context: Context<"bounds" | "delegation" | "store">, own: string, onlyAlive: boolean) {
  const ids = [own, ...(await context.services.delegation.below(own))];
  const found = await Promise.all(ids.map((id) => showSession(context, id).catch(() => null)));
  const sessions = found.filter((session) => session !== null);
  return { sessions: sessions.filter(({ endedAt }) => !onlyAlive || endedAt === undefined), next: null };
}

export function sessionDocuments({ id, name, label }: SessionWire): readonly ListedDocument[] {
  const title = label ?? name;
  return [
    { uri: `nomos://sessions/${id}`, name, title, mediaType: "application/json" },
    {
      uri: `nomos://sessions/${id}/transcript`,
      name: `${name} transcript`,
      title: `${title}: transcript`,
      mediaType: "text/plain",
    },
  ];
}

/** The cursor after a page: the sort key, a blank and the id. An id contains no blank. */
function cursorOf(row: SessionRow, by: "activity" | "name" | "state" | undefined): string {
  return by === undefined ? row.id : `${String(SESSIONS.keysOf(row)[by])} ${row.id}`;
}

function placeIn(cursor: string): { readonly id: string; readonly key?: string } {
  const at = cursor.lastIndexOf(" ");
  return at < 0 ? { id: cursor } : { id: cursor.slice(at + 1), key: cursor.slice(0, at) };
}
