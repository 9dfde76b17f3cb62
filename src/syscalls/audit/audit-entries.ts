import * as z from "zod";
import { EventWire } from "../../contract/index.ts";
import type { EventPage, EventQuery, RecordedEvent } from "../../store/index.ts";
import { type Context, read, type Syscall } from "../define.ts";
import { Cursor, EVENTS_MAX, eventPage, firstSince, seqOf, Types } from "../event/event-page.ts";
import { Limit } from "../query-text.ts";
import { eventsFor } from "../secret/hidden-events.ts";

export const Order = z
  .enum(["asc", "desc"])
  .optional()
  .describe("`desc`: newest first, and `after` goes towards the oldest");
const Input = z.object({
  after: Cursor,
  limit: Limit(EVENTS_MAX),
  types: Types,
  order: Order,
  stream: z.string().max(200).optional().describe("only events of this stream, such as `session/<id>` or `system`"),
  actor: z.string().max(200).optional().describe("only events of this actor; a short page may not be the last"),
  from: z.iso.datetime().optional().describe("begin at the first event that is not older than this time"),
  until: z.iso.datetime().optional().describe("end before the first event that is not older than this time"),
});

export const auditEntries: Syscall = read({
  name: "audit.entries",
  summary: "List all events in global order, by page",
  permission: "audit.read",
  roles: ["viewer"],
  needs: ["secrets", "store"],
  about: "system",
  input: Input,
  output: z.object({ entries: z.array(EventWire), next: z.number().int().nullable() }),
  errors: ["event_not_found"],
  http: { method: "GET", path: "/api/audit/entries" },
  cli: { positional: [] },
  answer: async (context, input) => {
    const { store } = context.services;
    const query = await queryOf(context, input);
    const { stream, actor } = input;
    const page = (of: EventQuery): Promise<EventPage> =>
      stream === undefined ? store.readAll(of) : store.readStream(stream, of);
    const found = actor === undefined ? await page(query) : await ofActor(page, query, actor);
    const { shown } = await eventsFor(context);
    const { events, next } = eventPage({ ...found, events: found.events.map(shown) });
    return { entries: events, next };
  },
});

async function queryOf(context: Context<"store">, input: z.infer<typeof Input>): Promise<EventQuery> {
  const { after, limit, types, order, from, until } = input;
  const { store } = context.services;
  const descending = order === "desc";
  const cursor = after === undefined ? null : await seqOf(context, after);
  const first = from === undefined ? 1 : await firstSince(store, from);
  const end = until === undefined ? Number.MAX_SAFE_INTEGER : await firstSince(store, until);
  return {
    after: Math.max(first - 1, descending ? 0 : (cursor ?? 0)),
    ...(until === undefined && !(descending && cursor !== null)
      ? {}
      : { before: Math.min(end, descending ? (cursor ?? end) : end) }),
    limit: limit ?? 100,
    descending,
    ...(types === undefined ? {} : { types }),
  };
}

/** Events read for one page, whether or not they are the actor's. */
const SCAN_MAX = 4000;
const PAGE = 500;

async function ofActor(
  page: (query: EventQuery) => Promise<EventPage>,
  query: EventQuery,
  actor: string,
): Promise<EventPage> {
  const events: RecordedEvent[] = [];
  let at = query;
  for (let left = SCAN_MAX; left > 0; left -= PAGE) {
    const read = await page({ ...at, limit: PAGE });
    for (const event of read.events) {
      if (event.actor !== actor) continue;
      events.push(event);
      if (events.length === query.limit) return { events, next: event.seq };
    }
    if (read.next === null) return { events, next: null };
    at = query.descending === true ? { ...at, before: read.next } : { ...at, after: read.next };
  }
  return { events, next: (query.descending === true ? at.before : at.after) ?? null };
}
