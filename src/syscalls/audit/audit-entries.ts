import * as z from "zod";
import { EventWire } from "../../contract/index.ts";
import { read, type Syscall } from "../define.ts";
import { Cursor, EVENTS_MAX, eventPage, seqOf, Types } from "../event/event-page.ts";
import { Limit } from "../query-text.ts";

export const auditEntries: Syscall = read({
  name: "audit.entries",
  summary: "List all events in global order, by page",
  permission: "audit.read",
  roles: ["viewer"],
  needs: ["store"],
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
});
