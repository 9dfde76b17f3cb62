import * as z from "zod";
import { EventWire, NomosError, SessionId } from "../../contract/index.ts";
import { type CustomFact, isCustomType, type Json } from "../../kernel/index.ts";
import { read, type Syscall, stream, write } from "../define.ts";
import { eventsFor } from "../secret/hidden-events.ts";
import { byOf } from "../session/answer.ts";
import { streamAll } from "../stream-events.ts";
import { Cursor, seqOf } from "./event-page.ts";

const EVENTS_PER_CALL_MAX = 100;

export const event: readonly Syscall[] = [
  stream({
    name: "event.stream",
    summary: "Follow all events of the log",
    permission: "audit.read",
    roles: ["viewer"],
    needs: ["secrets", "store"],
    about: "system",
    input: z.object({ after: Cursor }),
    output: EventWire,
    errors: [],
    http: { method: "GET", path: "/api/events" },
    cli: { positional: [] },
    items: async (context, { after }) => {
      const { shown } = await eventsFor(context);
      const from = after === undefined ? await context.services.store.lastSeq() : await seqOf(context, after);
      return streamAll(context, from, shown);
    },
  }),
  read({
    name: "event.show",
    summary: "Show one event by its id",
    permission: "audit.read",
    roles: ["viewer"],
    needs: ["secrets", "store"],
    about: "system",
    input: z.object({ eventId: z.string().max(64) }),
    output: EventWire,
    errors: ["event_not_found"],
    http: { method: "GET", path: "/api/events/:eventId" },
    cli: { positional: ["eventId"] },
    answer: async (context, { eventId }) => {
      const found = await context.services.store.event(eventId);
      if (found === null) throw new NomosError("event_not_found", { eventId });
      const event = (await eventsFor(context)).shown(found);
      return { ...event, data: event.data as z.input<typeof EventWire>["data"] };
    },
  }),
  write({
    name: "event.add",
    summary: "Add custom facts to a session, inside or outside a running turn",
    permission: "session.report",
    roles: ["session"],
    needs: ["supervisor"],
    about: "session",
    input: z.object({
      id: SessionId,
      turnId: z.string().max(64).optional(),
      events: z
        .array(z.object({ type: z.string().max(80).describe("`x.<name>@1`, or just the name"), payload: z.json() }))
        .min(1)
        .max(EVENTS_PER_CALL_MAX),
    }),
    output: z.object({ ids: z.array(z.string()) }),
    errors: ["session_not_found", "session_ended", "turn_ended", "turn_not_found", "quota_exceeded", "disk_low"],
    http: { method: "POST", path: "/sessions/:id/events", status: 201 },
    cli: { positional: ["id"], says: ["Recorded {ids.length|event}: {ids}"] },
    commit: (context, { id, turnId, events }) =>
      context.services.supervisor.addEvents(
        id,
        turnId ?? null,
        events.map(({ type, payload }) => ({ type: customType(type), payload: payload as Json })),
        byOf(context),
      ),
    answer: async (_context, _input, events) => ({ ids: events.map((event) => event.id) }),
  }),
];

function customType(given: string): CustomFact["type"] {
  const type = given.startsWith("x.") ? given : `x.${given}@1`;
  if (!isCustomType(type))
    throw new NomosError("invalid_request", { type: given, reason: "a custom type is x.<name>@1, in lower case" });
  return type;
}
